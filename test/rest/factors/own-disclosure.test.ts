// Refusals of logged-in users who prove themselves, under minimal disclosure: direct callers see them as REST clients do.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD, type Seed } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { createAuthenticator } from '../../support/authenticator.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { seedTotp, wrongCode } from '../../support/factors.ts';
import { ORIGIN, PASSKEYS } from '../../support/passkeys.ts';
import { problem } from '../../support/problems.ts';
import { bearer, restClient } from '../../support/rest-client.ts';
import { outcomeOf } from '../../support/rpc-outcomes.ts';
import { authorizedBy, seedSession } from '../../support/sessions.ts';
import { openWorld, type Actor, type World } from '../../support/world.ts';

rememberPasswords();

/** `code` is wrong for its TOTP. */
type Prover = Actor & { readonly code?: string };

interface Refusal {
  readonly actor: (world: World) => Promise<Prover>;
  readonly direct: (world: World, actor: Prover) => Promise<unknown>;
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly body: (world: World, actor: Prover) => object | Promise<object>;
}

const userWith = (seed: Seed) => (world: World) => world.actor(seed);
const LOCKED = (world: World) => world.actor({ lockedUntil: world.deployment.clock.now() + 60_000 });
const NEW_PASSWORD = 'Correct horse 43';

async function totpOwner({ deployment }: World): Promise<Prover> {
  const owner = await seedTotp(deployment);
  const session = await seedSession(deployment, owner.account);
  return { account: owner.account, session, as: authorizedBy(session), code: wrongCode(owner) };
}

/** A new passkey, for options of another session. */
async function stalePasskey({ clients, actor }: World): Promise<object> {
  const { options } = await clients.factor.createMyPasskeyOptions({}, (await actor()).as);
  return createAuthenticator({ origin: ORIGIN }).create(JSON.parse(options));
}

const CONFIRM = '/account/confirm';
const REFUSALS: Readonly<Record<string, Refusal>> = {
  'a wrong first code of a TOTP': {
    async actor(world) {
      const actor = await world.actor();
      await world.clients.factor.createMyTotp({}, actor.as);
      return actor;
    },
    direct: ({ clients }, { as }) => clients.factor.confirmMyTotp({ totp: '000000' }, as),
    method: 'POST',
    path: '/account/factors/totp/confirm',
    body: () => ({ totp: '000000' }),
  },
  'a passkey that does not verify': {
    actor: userWith({}),
    direct: ({ clients }, { as }) => clients.factor.createMyPasskey({ label: 'Phone', passkey: '{}' }, as),
    method: 'POST',
    path: '/account/factors/passkeys',
    body: () => ({ label: 'Phone', passkey: {} }),
  },
  'a passkey for the options of another session': {
    actor: userWith({}),
    direct: async (world, { as }) =>
      world.clients.factor.createMyPasskey({ label: 'Phone', passkey: JSON.stringify(await stalePasskey(world)) }, as),
    method: 'POST',
    path: '/account/factors/passkeys',
    body: async (world) => ({ label: 'Phone', passkey: await stalePasskey(world) }),
  },
  'a confirmation by a wrong code': {
    actor: totpOwner,
    direct: ({ clients }, { as, code }) =>
      clients.session.confirmSession({ proof: { $case: 'totp', value: code! } }, as),
    method: 'POST',
    path: CONFIRM,
    body: (_world, { code }) => ({ totp: code }),
  },
  'a confirmation by the password of a locked account': {
    actor: LOCKED,
    direct: ({ clients }, { as }) =>
      clients.session.confirmSession({ proof: { $case: 'password', value: PASSWORD } }, as),
    method: 'POST',
    path: CONFIRM,
    body: () => ({ password: PASSWORD }),
  },
  'a new password of a locked account': {
    actor: LOCKED,
    direct: ({ clients }, { as }) =>
      clients.identity.changeOwnPassword({ currentPassword: PASSWORD, newPassword: NEW_PASSWORD }, as),
    method: 'PUT',
    path: '/account/password',
    body: () => ({ currentPassword: PASSWORD, newPassword: NEW_PASSWORD }),
  },
};

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld({ ...kind, settings: { ...PASSKEYS, 'app.api.error-disclosure.mode': 'minimal' } });
  });
  afterAll(() => world?.close());

  it.each(Object.entries(REFUSALS))('%s is bad-credentials', async (_what, refusal) => {
    const { direct, method, path, body } = refusal;
    const actor = await refusal.actor(world);
    expect(await outcomeOf(direct(world, actor))).toBe('BAD_CREDENTIALS');
    const url = `/api/v1${path}`;
    const headers = bearer(actor.session.accessToken);
    const response = await restClient(world.deployment.url).send(method, url, {
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(await body(world, actor)),
    });
    expect(response).toEqual(problem(401, 'bad-credentials', url));
  });
});
