// IdentityService.Authenticate: another service's credential, checked like one of a call.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Permission } from '../../proto/gen/authservice/access/v1/access.ts';
import { Reason } from '../../proto/gen/authservice/error/v1/reason.ts';
import type { AuthenticateRequest } from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import { idToBytes } from '../../src/platform/db/ids.ts';
import { generateApiKey } from '../../src/auth/api-key/key-format.ts';
import { DependencyUnavailableError } from '../../src/platform/errors.ts';
import type { Account } from '../../src/auth/access/account.ts';
import { createAuthenticate } from '../../src/auth/identity/authentication/authenticate.ts';
import type { Call } from '../../src/auth/access/principal.ts';
import { seedClient } from '../rest/m2m/clients.ts';
import { ofThisRun, SERVER_ENGINE } from '../support/databases.ts';
import { FORGERIES } from '../support/forgeries.ts';
import { tokenForge } from '../support/forged-tokens.ts';
import { openWorld, type Actor, type World } from '../support/world.ts';
import { outcomeOf } from '../support/rpc-outcomes.ts';
import { newRoleName } from './admin/rpcs.ts';

type Credential = NonNullable<AuthenticateRequest['credential']>;

const bearer = (value: string): Credential => ({ $case: 'bearerToken', value });
const apiKey = (value: string): Credential => ({ $case: 'apiKey', value });
const DISCLOSURES = ['maximal', 'minimal'] as const;
const SETTINGS = { 'app.security.api-key.enabled': 'true', 'app.security.m2m.rate-limit.store': 'none' };

const authenticate = async ({ clients }: World, credential: Credential) =>
  (await clients.identity.authenticate({ credential })).outcome!;

async function issueKey({ clients, root }: World, { id }: Account, expiresAt?: Date): Promise<string> {
  return (await clients.apiKey.issueApiKey({ serviceAccountId: id, label: 'Key', expiresAt }, root.as)).apiKey;
}

/** Credentials that are no good, and why in the words of maximal disclosure. */
const REFUSED: Record<string, readonly [make: (world: World) => Promise<Credential>, reason: string, detail: RegExp]> =
  {
    garbage: [async () => bearer('garbage'), 'TOKEN_INVALID', /not a JWT/],
    'a scheme before the token': [
      async ({ admin }) => bearer(`Bearer ${admin.session.accessToken}`),
      'TOKEN_INVALID',
      /not a JWT/,
    ],
    'a revoked token': [
      async (world) => {
        const actor = await world.actor();
        await world.clients.session.logout({ refreshTokens: [], refreshTokenTransport: 2 }, actor.as);
        return bearer(actor.session.accessToken);
      },
      'TOKEN_INVALID',
      /revoked/,
    ],
    'the token of a disabled account': [
      async (world) => bearer((await world.actor({ disabled: true })).session.accessToken),
      'TOKEN_INVALID',
      /disabled/,
    ],
    'the token of a deleted account': [
      async (world) => {
        const { account, session } = await world.actor();
        await world.deployment.database.execute('DELETE FROM accounts WHERE id = ?', [idToBytes(account.id)]);
        return bearer(session.accessToken);
      },
      'SUBJECT_UNKNOWN',
      /does not exist/,
    ],
    'no API key': [async () => apiKey('garbage'), 'TOKEN_INVALID', /not an API key/],
    'an unknown API key': [async () => apiKey(generateApiKey().key), 'TOKEN_INVALID', /API key is unknown/],
    'a revoked API key': [
      async (world) => {
        const account = await world.seed({ interactive: false });
        const key = await issueKey(world, account);
        const { keys } = await world.clients.apiKey.listApiKeys({ serviceAccountId: account.id }, world.root.as);
        const named = { serviceAccountId: account.id, keyId: keys[0]!.keyId };
        await world.clients.apiKey.revokeApiKey(named, world.root.as);
        return apiKey(key);
      },
      'TOKEN_INVALID',
      /revoked/,
    ],
  };

describe.each(
  ofThisRun([
    { engine: 'sqlite', transport: 'local' },
    { engine: SERVER_ENGINE, transport: 'grpc' },
  ]),
)('$engine, $transport', (deployment) => {
  const worlds = new Map<string, World>();
  let world: World;

  beforeAll(async () => {
    for (const mode of DISCLOSURES) {
      const settings = { ...SETTINGS, 'app.api.error-disclosure.mode': mode };
      worlds.set(mode, await openWorld({ ...deployment, settings }));
    }
    world = worlds.get('maximal')!;
  });
  afterAll(() => Promise.all([...worlds.values()].map((each) => each.close())));

  const shown = ({ id, username, name, tenantId, createdAt }: Account, roles: readonly string[]) => ({
    id,
    username,
    name,
    ...(tenantId !== undefined && { tenantId }),
    roles,
    createdAt: new Date(createdAt),
  });
  /** Creates a role of the tenant with these permissions, and returns its name. */
  const roleWith = async (...permissions: string[]) => {
    const name = newRoleName();
    await world.clients.role.createRole({ tenantId: 'acme', name, permissions, inherits: [] }, world.root.as);
    return name;
  };
  const timeOf = ({ session }: Actor, claim: 'exp' | 'auth_time') => {
    const payload = Buffer.from(session.accessToken.split('.')[1]!, 'base64url').toString();
    return new Date((JSON.parse(payload) as Record<string, number>)[claim]! * 1000);
  };

  it('returns the account, its permissions, the session and the expiry of a token', async () => {
    const role = await roleWith('MANAGE_ROLES', 'invoices:read', 'READ_AUDIT');
    const actor = await world.actor({ roles: [role] });
    expect(await authenticate(world, bearer(actor.session.accessToken))).toEqual({
      $case: 'principal',
      value: {
        account: shown(actor.account, [`ROLE_${role}`]),
        permissions: [Permission.PERMISSION_READ_AUDIT, Permission.PERMISSION_MANAGE_ROLES],
        ownPermissions: ['invoices:read'],
        sessionId: actor.session.id,
        authenticatedAt: timeOf(actor, 'auth_time'),
        authenticationMethods: ['pwd'],
        expiresAt: timeOf(actor, 'exp'),
      },
    });
  });

  it('grants the current roles, not those of the token', async () => {
    const [before, now] = [await roleWith('READ_AUDIT'), await roleWith('MANAGE_ROLES')];
    const { account, session } = await world.actor({ roles: [before] });
    await world.deployment.database.execute('UPDATE accounts SET roles = ? WHERE id = ?', [now, idToBytes(account.id)]);
    const { value } = (await authenticate(world, bearer(session.accessToken))) as { value: { permissions: number[] } };
    expect(value.permissions).toEqual([Permission.PERMISSION_MANAGE_ROLES]);
  });

  it('a SUPER_ADMIN has no tenant', async () => {
    const { value } = (await authenticate(world, bearer(world.root.session.accessToken))) as { value: object };
    expect(value).toMatchObject({ account: shown(world.root.account, ['ROLE_SUPER_ADMIN']) });
  });

  it('a machine client and an API key have no session, and an API key without expiry has no expiry time', async () => {
    const client = await seedClient(world.deployment.database, { roles: ['ACCOUNTANT'] });
    const grant = { grantType: 'client_credentials', clientId: client.id, clientSecret: client.secret };
    const { accessToken } = await world.clients.clientCredentials.issueToken(grant);
    const expiresAt = new Date(world.deployment.clock.now() + 1_000);
    for (const [credential, end] of [
      [bearer(accessToken), expect.any(Date)],
      [apiKey(await issueKey(world, client.account)), undefined],
      [apiKey(await issueKey(world, client.account, expiresAt)), expiresAt],
    ] as const) {
      const { $case, value } = await authenticate(world, credential);
      expect([$case, value]).toEqual([
        'principal',
        {
          account: shown(client.account, ['ROLE_ACCOUNTANT']),
          permissions: expect.any(Array),
          ownPermissions: [],
          authenticationMethods: [],
          ...(end && { expiresAt: end }),
        },
      ]);
    }
  });

  it.each(Object.keys(REFUSED))('rejects %s, with the reason under maximal disclosure', async (name) => {
    const [make, reason, detail] = REFUSED[name]!;
    expect(await authenticate(world, await make(world))).toEqual({
      $case: 'refusal',
      value: { reason: Reason[`REASON_${reason}` as keyof typeof Reason], detail: expect.stringMatching(detail) },
    });
  });

  it('returns the same bytes for every rejection under minimal disclosure', async () => {
    const minimal = worlds.get('minimal')!;
    const responses = new Set<string>();
    for (const [make] of Object.values(REFUSED)) {
      responses.add(JSON.stringify(await authenticate(minimal, await make(minimal))));
    }
    const refusal = { $case: 'refusal', value: { reason: Reason.REASON_TOKEN_INVALID } };
    expect([...responses].map((response) => JSON.parse(response))).toEqual([refusal]);
  });

  it('rejects every forged token', async () => {
    const { account, session } = await world.actor();
    const forge = await tokenForge(world.deployment, account, session.id);
    const taken: string[] = [];
    for (const [name, make] of Object.entries(FORGERIES)) {
      const outcome = await authenticate(world, bearer(make(forge, session.accessToken)));
      if (outcome.$case !== 'refusal') taken.push(name);
    }
    expect(taken).toEqual([]);
  });

  it.each([
    ['no credential', undefined],
    ['an empty bearer token', bearer('')],
    ['an empty API key', apiKey('')],
  ])('rejects %s in its response', async (_what, credential) => {
    const { outcome } = await world.clients.identity.authenticate(credential ? { credential } : {});
    expect(outcome).toMatchObject({ $case: 'refusal', value: { reason: Reason.REASON_TOKEN_MISSING } });
  });

  it('ignores the credential of the call itself', async () => {
    const { identity } = world.clients;
    const credential = bearer(world.admin.session.accessToken);
    expect(await outcomeOf(identity.authenticate({ credential }, { authorization: ['Bearer x', 'Bearer y'] }))).toBe(
      'OK',
    );
  });
});

it('Authenticate rejects API keys if they are disabled', async () => {
  const issuing = await openWorld({ engine: 'sqlite', transport: 'local' });
  const { databaseUrl, clock } = issuing.deployment;
  const settings = { 'app.security.api-key.enabled': 'false' };
  const world = await openWorld({ engine: 'sqlite', transport: 'local', databaseUrl, clock, settings });
  try {
    const key = await issueKey(issuing, await issuing.seed({ interactive: false }));
    expect(await authenticate(world, apiKey(key))).toEqual({
      $case: 'refusal',
      value: { reason: Reason.REASON_TOKEN_INVALID, detail: 'API keys are not accepted here' },
    });
  } finally {
    await world.close();
    await issuing.close();
  }
});

describe('an outage', () => {
  it('returns the error of the failed dependency', async () => {
    const outage = new DependencyUnavailableError('the database is gone');
    const handler = createAuthenticate({
      authenticateCredentials: () => Promise.reject(outage),
      disclosure: 'minimal',
    });
    await expect(handler({ credential: bearer('x') }, {} as Call)).rejects.toBe(outage);
  });

  it('returns DEADLINE_EXCEEDED if no time is left', async () => {
    const world = await openWorld({ engine: 'sqlite', transport: 'local' });
    try {
      const call = world.clients.identity.authenticate(
        { credential: bearer(world.admin.session.accessToken) },
        { timeoutMs: 0 },
      );
      expect(await outcomeOf(call)).toBe('DEADLINE_EXCEEDED');
    } finally {
      await world.close();
    }
  });
});
