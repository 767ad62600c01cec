// Signing keys that are revoked: their tokens are refused at once, in each process, and a new key signs.
import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SigningKeyChain, SigningKeyState } from '../../../proto/gen/authservice/key/v1/key_service.ts';
import { ACTIVATION_DELAY_MS } from '../../../src/auth/keys/rotation-schedule.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { createClient, credentialsOf, grantTo } from '../../support/grants.ts';
import { eventually } from '../../support/eventually.ts';
import { PUBLIC_URL } from '../../support/mails.ts';
import { restClient } from '../../support/rest-client.ts';
import { outcomeOf } from '../../support/rpc-outcomes.ts';
import { clientsOf, openWorld, type World } from '../../support/world.ts';

rememberPasswords();

const {
  SIGNING_KEY_STATE_PUBLISHED: PUBLISHED,
  SIGNING_KEY_STATE_ACTIVE: ACTIVE,
  SIGNING_KEY_STATE_RETIRED: RETIRED,
} = SigningKeyState;
const { SIGNING_KEY_CHAIN_ACCESS: ACCESS, SIGNING_KEY_CHAIN_ID: ID } = SigningKeyChain;
const PROVIDER = { 'app.public-url': PUBLIC_URL };

describe.each(DIAGONAL)('$engine over $transport', ({ engine, transport }) => {
  let world: World;
  /** Another process on the same database. */
  let other: Deployment;

  beforeAll(async () => {
    world = await openWorld({ engine, transport, settings: PROVIDER });
    const { clock, databaseUrl } = world.deployment;
    other = await deploy({ engine, transport, clock, databaseUrl, settings: PROVIDER });
  });
  afterAll(async () => {
    await other?.close();
    await world?.close();
  });

  /** Logs in, by the signing key of a process. */
  const logIn = async ({ url }: Pick<Deployment, 'url'>) => {
    const { username } = await world.seed({ tenantId: undefined, roles: ['SUPER_ADMIN'] });
    const { accessToken } = await restClient(url).open(username);
    return {
      accessToken,
      kid: decodeProtectedHeader(accessToken).kid!,
      as: { authorization: [`Bearer ${accessToken}`] },
    };
  };
  const keysOf = async (chain: SigningKeyChain = ACCESS) => {
    const { as } = await logIn(world.deployment);
    const { keys } = await world.clients.key.listSigningKeys({}, as);
    return keys.filter((key) => key.chain === chain);
  };
  const revoke = async (kid: string, reason?: string) =>
    (await world.clients.key.revokeSigningKey({ kid, reason }, (await logIn(world.deployment)).as)).key!;
  const statusOf = async ({ url }: Pick<Deployment, 'url'>, token: string) => (await restClient(url).me(token)).status;
  const published = async () => {
    const { body } = await restClient(world.deployment.url).send('GET', '/.well-known/jwks.json');
    return (body.keys as { kid: string }[]).map(({ kid }) => kid);
  };

  it('refuses the tokens of the active key in all processes at once', async () => {
    const { accessToken, kid } = await logIn(world.deployment);
    // Both processes have verified this token before.
    for (const at of [world.deployment, other]) expect(await statusOf(at, accessToken)).toBe(200);
    const unseen = await logIn(world.deployment);
    const signer = await revoke(kid, 'stolen');
    expect([signer.state, signer.kid === kid]).toEqual([ACTIVE, false]);
    for (const at of [world.deployment, other])
      for (const token of [accessToken, unseen.accessToken]) expect(await statusOf(at, token)).toBe(401);
    expect(await published()).not.toContain(kid);
    const next = await logIn(world.deployment);
    expect(next.kid).toBe(signer.kid);
    for (const at of [world.deployment, other]) expect(await statusOf(at, next.accessToken)).toBe(200);
    await eventually(async () => expect((await logIn(other)).kid).toBe(signer.kid));
    const { records } = await world.clients.audit.listAuditRecords({ events: ['signing-key.revoked'] }, next.as);
    expect(JSON.parse(records[0]!.details)).toEqual({
      chain: 'ACCESS',
      kid,
      replacedBy: signer.kid,
      reason: 'stolen',
    });
  });

  it("refuses an application's tokens of the key in all processes at once", async () => {
    const { username } = await world.seed({ roles: ['ADMIN'] });
    const session = await restClient(world.deployment.url).open(username);
    const as = { authorization: [`Bearer ${session.accessToken}`] };
    const client = await createClient(world.clients, as);
    const { accessToken } = await grantTo(world.clients, as, client);
    const isAccepted = async (at: Deployment) =>
      (await clientsOf(at).clientCredentials.introspectToken({ token: accessToken, ...credentialsOf(client) }, {}))
        .active;
    const both = [world.deployment, other];
    for (const at of both) expect(await isAccepted(at)).toBe(true);
    await revoke(decodeProtectedHeader(accessToken).kid!);
    for (const at of both) expect(await isAccepted(at)).toBe(false);
    for (const at of both)
      expect(await outcomeOf(clientsOf(at).authorization.getUserInfo({ accessTokens: [accessToken] }, {}))).toBe(
        'TOKEN_INVALID',
      );
  });

  it('replaces a key that was to sign, and retires the active one', async () => {
    const { as, kid: active, accessToken } = await logIn(world.deployment);
    const { key: waiting } = await world.clients.key.rotateSigningKey({ chain: ACCESS }, as);
    expect(waiting!.state).toBe(PUBLISHED);
    const signer = await revoke(waiting!.kid);
    expect((await keysOf()).map(({ kid, state }) => [kid, state])).toEqual([
      [signer.kid, ACTIVE],
      [active, RETIRED],
    ]);
    expect(await statusOf(world.deployment, accessToken)).toBe(200);
  });

  it('revokes a retired key alone', async () => {
    const before = await logIn(world.deployment);
    await world.clients.key.rotateSigningKey({ chain: ACCESS }, before.as);
    world.deployment.clock.advance(ACTIVATION_DELAY_MS);
    const now = await logIn(world.deployment);
    expect(now.kid).not.toBe(before.kid);
    expect((await revoke(before.kid)).kid).toBe(now.kid);
    expect(await statusOf(other, before.accessToken)).toBe(401);
    expect(await statusOf(other, now.accessToken)).toBe(200);
    expect((await keysOf())[0]!.kid).toBe(now.kid);
  });

  it('revokes a key of ID tokens', async () => {
    const { kid } = (await keysOf(ID))[0]!;
    const signer = await revoke(kid);
    expect([signer.chain, signer.state]).toEqual([ID, ACTIVE]);
    expect((await keysOf(ID)).map((key) => key.kid)).toEqual([signer.kid]);
    expect(await published()).not.toContain(kid);
  });

  it('knows no other key, and none that was revoked', async () => {
    const { kid } = await logIn(world.deployment);
    await revoke(kid);
    expect(await outcomeOf(revoke(kid))).toBe('NOT_FOUND');
    expect(await outcomeOf(revoke('x'))).toBe('NOT_FOUND');
  });

  it('is for a SUPER_ADMIN with a fresh session', async () => {
    const { kid } = await logIn(world.deployment);
    const call = (as: object) => outcomeOf(clientsOf(world.deployment).key.revokeSigningKey({ kid }, as));
    const { username } = await world.seed({ roles: ['ADMIN'] });
    const { accessToken } = await restClient(world.deployment.url).open(username);
    expect(await call({ authorization: [`Bearer ${accessToken}`] })).toBe('PERMISSION_DENIED');
    const old = await logIn(world.deployment);
    world.deployment.clock.advance(11 * 60_000);
    expect(await call(old.as)).toBe('FRESH_SESSION_REQUIRED');
  });
});
