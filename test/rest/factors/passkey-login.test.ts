// Logins with a passkey alone: both profiles, refusals, disclosure, and what an account may not do.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/auth/access/account.ts';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import { seedAccount, type Seed } from '../../support/accounts.ts';
import { authError } from '../../support/auth-errors.ts';
import { createAuthenticator, type Authenticator, type Ceremony } from '../../support/authenticator.ts';
import { callerWith, comparable } from '../../support/callers.ts';
import { deploy, DIAGONAL, type Deployment, type DeploymentOptions } from '../../support/deployment.ts';
import { addPasskey, ORIGIN, PASSKEYS } from '../../support/passkeys.ts';
import { problem } from '../../support/problems.ts';
import { bearer, restClient, sessionOf, type RestClient, type RestResponse } from '../../support/rest-client.ts';
import { seedSession, signIn } from '../../support/sessions.ts';
import { clientsOf } from '../../support/world.ts';

const OPTIONS = '/api/v1/auth/passkey/options';
const LOGIN = '/api/v1/auth/passkey';
const LISTED = 'https://pages.example';
const SETTINGS = { ...PASSKEYS, 'app.http.cors.allowed-origins': LISTED };

/** A service, and accounts with a passkey. */
function openService(options: DeploymentOptions) {
  const opened = {} as { deployment: Deployment; rest: RestClient };
  beforeAll(async () => {
    opened.deployment = await deploy({ ...options, settings: { ...SETTINGS, ...options.settings } });
    opened.rest = restClient(opened.deployment.url);
  });
  afterAll(() => opened.deployment?.close());

  async function user(seed: Seed = {}, authenticator: Authenticator = createAuthenticator({ origin: ORIGIN })) {
    const { deployment } = opened;
    const account = await seedAccount(deployment.database, seed);
    const { passkey } = await addPasskey(clientsOf(deployment), await signIn(deployment, account), authenticator);
    return { account, authenticator, passkeyId: passkey!.id };
  }

  const start = async (origin: string | undefined = ORIGIN) =>
    (await opened.rest.postJson(OPTIONS, '', origin === undefined ? {} : { origin })).body;

  /** Logs in with a passkey. */
  async function logIn(authenticator: Authenticator, ceremony: Ceremony = {}, body: object = {}, origin = ORIGIN) {
    const { challenge, options } = await start(origin);
    const passkey = authenticator.get(options, ceremony);
    return opened.rest.postJson(LOGIN, { challenge, passkey, ...body }, { origin });
  }

  const events = async ({ id }: Account) => {
    await opened.deployment.core.flush();
    const rows = await opened.deployment.database.query<{ event: string; details: string }>(
      'SELECT event, details FROM audit_records WHERE account_id = ? ORDER BY id',
      [idToBytes(id)],
    );
    return rows.map(({ event, details }) => [event, JSON.parse(details) as object]);
  };

  return { opened, user, start, logIn, events };
}

function claimsOf(token: string): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Readonly<Record<string, unknown>>;
}

describe.each(DIAGONAL)('a login with a passkey ($engine, $transport)', (kind) => {
  const { opened, user, start, logIn, events } = openService(kind);

  it('opens a session with a cookie, and counts as two factors', async () => {
    const { account, authenticator } = await user();
    const response = await logIn(authenticator);
    expect([response.status, response.body]).toEqual([
      200,
      { accessToken: expect.any(String), user: { id: account.id, username: account.username } },
    ]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(claimsOf(response.body.accessToken)).toMatchObject({ sub: account.id, amr: ['hwk', 'user', 'mfa'] });
    const { accessToken, cookie } = sessionOf(response);
    expect((await opened.rest.me(accessToken)).body.username).toBe(account.username);
    expect((await opened.rest.refresh(cookie, { origin: ORIGIN })).status).toBe(200);
    expect((await events(account)).map(([event]) => event)).toEqual(['factor.created', 'login.succeeded']);
  });

  it.each([
    [{}, false],
    [{ rememberMe: false }, false],
    [{ rememberMe: true }, true],
  ])('with %j sets a persistent cookie: %s', async (body, isPersistent) => {
    const { authenticator } = await user();
    const [cookie] = (await logIn(authenticator, {}, body)).cookies;
    expect('max-age' in cookie!.attributes).toBe(isPersistent);
  });

  it('works for a SUPER_ADMIN, for synchronised passkeys without a counter, and while the password is locked', async () => {
    const synchronised = createAuthenticator({ origin: ORIGIN, backupEligible: true, counter: 'zero' });
    const lockedUntil = opened.deployment.clock.now() + 3600_000;
    const { authenticator } = await user({ tenantId: undefined, roles: ['SUPER_ADMIN'], lockedUntil }, synchronised);
    for (let count = 0; count < 2; count += 1) {
      const response = await logIn(authenticator);
      expect(response.status).toBe(200);
      expect(claimsOf(response.body.accessToken)['amr']).toEqual(['swk', 'user', 'mfa']);
    }
  });

  it('is valid once, however many come at once', async () => {
    const { authenticator } = await user();
    const { challenge, options } = await start();
    const attempts = Array.from({ length: 8 }, () => ({ challenge, passkey: authenticator.get(options) }));
    const responses = await Promise.all(attempts.map((body) => opened.rest.postJson(LOGIN, body, { origin: ORIGIN })));
    expect(responses.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      200, 401, 401, 401, 401, 401, 401, 401,
    ]);
    expect(responses.find(({ status }) => status === 401)).toEqual(problem(401, 'challenge-invalid', LOGIN));
  });

  it('is refused if the counter goes back, which is audited', async () => {
    const { account, authenticator } = await user();
    expect((await logIn(authenticator, { counter: 9 })).status).toBe(200);
    for (const counter of [9, 8, 0])
      expect(await logIn(authenticator, { counter })).toEqual(problem(401, 'second-factor-invalid', LOGIN));
    expect((await logIn(authenticator, { counter: 10 })).status).toBe(200);
    const refused = ['second-factor.failed', { method: 'passkey', reason: 'the counter of the passkey has gone back' }];
    expect((await events(account)).filter(([event]) => event === 'second-factor.failed')).toEqual([
      refused,
      refused,
      refused,
    ]);
  });

  it('works with other backup flags, which are stored and audited', async () => {
    const { account, authenticator, passkeyId } = await user();
    const shown: unknown[] = [];
    for (const flags of [
      { backupEligible: true, backedUp: false },
      { backupEligible: true, backedUp: true },
      { backupEligible: true, backedUp: true },
      { backupEligible: false, backedUp: false },
      { backupEligible: false, backedUp: true },
    ]) {
      const response = await logIn(authenticator, flags);
      expect(response.status).toBe(200);
      const headers = bearer(response.body.accessToken);
      const { body } = await opened.rest.send('GET', '/api/v1/account/factors', { headers });
      shown.push([claimsOf(response.body.accessToken)['amr'], body.passkeys[0].backedUp]);
    }
    expect(shown).toEqual([
      [['swk', 'user', 'mfa'], false],
      [['swk', 'user', 'mfa'], true],
      [['swk', 'user', 'mfa'], true],
      [['hwk', 'user', 'mfa'], false],
      [['swk', 'user', 'mfa'], true],
    ]);
    const changes = (await events(account)).filter(([event]) => event === 'factor.changed');
    const changed = (backupEligible: string, backedUp: string) => [
      'factor.changed',
      { method: 'passkey', passkeyId, backupEligible, backedUp },
    ];
    expect(changes).toEqual([
      changed('true', 'false'),
      changed('true', 'true'),
      changed('false', 'false'),
      changed('false', 'true'),
    ]);
  });

  it('with a forged signature changes no backup flags', async () => {
    const { account, authenticator } = await user();
    for (const backupEligible of [true, false])
      expect(await logIn(authenticator, { backupEligible, backedUp: true, isForged: true })).toEqual(
        problem(401, 'second-factor-invalid', LOGIN),
      );
    expect((await events(account)).map(([event]) => event)).not.toContain('factor.changed');
    expect((await logIn(authenticator)).status).toBe(200);
  });

  it('is refused after the passkey was deleted', async () => {
    const { account, authenticator, passkeyId } = await user();
    const as = await signIn(opened.deployment, account);
    await clientsOf(opened.deployment).factor.deleteMyPasskey({ passkeyId }, as);
    expect(await logIn(authenticator)).toEqual(problem(401, 'second-factor-invalid', LOGIN));
  });

  it('starts without a write', async () => {
    const count = async () => (await opened.deployment.database.query('SELECT 1 FROM used_challenges')).length;
    const before = await count();
    const { challenge, options } = await start();
    expect(options).toMatchObject({ challenge, rpId: 'localhost', userVerification: 'required', allowCredentials: [] });
    expect(await count()).toBe(before);
  });
});

describe.each(DIAGONAL)('a refused login with a passkey ($engine, $transport)', (kind) => {
  const { opened, user, start, logIn, events } = openService(kind);
  const post = (body: unknown, origin = ORIGIN) => opened.rest.postJson(LOGIN, body, { origin });

  it.each<readonly [string, Ceremony]>([
    ['without user verification', { userVerified: false }],
    ['without a user handle', { userHandle: undefined }],
    ["with another user's handle", { userHandle: Buffer.alloc(16, 1).toString('base64url') }],
    ['of another site', { origin: 'https://evil.test' }],
    ['in a frame of another site', { crossOrigin: true }],
    ['of another relying party', { rpId: 'evil.test' }],
    ['with a forged signature', { isForged: true }],
    ['with the type of a registration', { type: 'webauthn.create' }],
    ['for another challenge', { challenge: Buffer.alloc(54).toString('base64url') }],
  ])('%s: 401 second-factor-invalid', async (_name, ceremony) => {
    const { account, authenticator } = await user();
    expect(await logIn(authenticator, ceremony)).toEqual(problem(401, 'second-factor-invalid', LOGIN));
    await opened.deployment.core.flush();
    expect(await events(account)).toContainEqual([
      'login.failed',
      { method: 'passkey', reason: 'SECOND_FACTOR_INVALID' },
    ]);
    expect((await logIn(authenticator)).status).toBe(200);
  });

  it('of an unknown passkey: 401 second-factor-invalid', async () => {
    const { options, challenge } = await start();
    const stranger = createAuthenticator({ origin: ORIGIN });
    expect(await post({ challenge, passkey: stranger.get(options, { userHandle: 'AAAA' }) })).toEqual(
      problem(401, 'second-factor-invalid', LOGIN),
    );
  });

  it('with a challenge of another kind, origin or time: 401 challenge-invalid', async () => {
    const { authenticator } = await user();
    const invalid = problem(401, 'challenge-invalid', LOGIN);
    const { challenge, options } = await start();
    const passkey = authenticator.get(options);
    for (const other of ['x', `${challenge}A`, challenge.slice(1), 'A'.repeat(512)])
      expect(await post({ challenge: other, passkey })).toEqual(invalid);
    expect(await post({ challenge, passkey }, LISTED)).toEqual(invalid);
    expect(await opened.rest.postJson(LOGIN, { challenge, passkey })).toEqual(invalid);
    opened.deployment.clock.advance(300_000);
    expect(await post({ challenge, passkey })).toEqual(invalid);
  });

  it('works on a listed origin and without an Origin header, each with its own challenge', async () => {
    const listed = createAuthenticator({ origin: LISTED });
    await user({}, listed);
    expect((await logIn(listed, {}, {}, LISTED)).status).toBe(200);
    const { authenticator } = await user();
    const { challenge, options } = (await opened.rest.postJson(OPTIONS, '')).body;
    expect((await opened.rest.postJson(LOGIN, { challenge, passkey: authenticator.get(options) })).status).toBe(200);
  });

  it.each<readonly [unknown, string]>([
    [{}, 'challenge'],
    [{ challenge: 'x' }, 'passkey'],
    [{ challenge: 1, passkey: {} }, 'challenge'],
    [{ challenge: 'x'.repeat(513), passkey: {} }, 'challenge'],
    [{ challenge: 'x', passkey: 'text' }, 'passkey'],
    [{ challenge: 'x', passkey: [] }, 'passkey'],
    [{ challenge: 'x', passkey: { id: 'x'.repeat(16_384) } }, 'passkey'],
    [{ challenge: 'x', passkey: {}, rememberMe: 'yes' }, 'rememberMe'],
    [{ challenge: 'x', passkey: {}, username: 'ann' }, 'username'],
  ])('%#: 400 naming the member', async (body, member) => {
    const response = await post(body);
    expect([response.status, response.body.errorCode]).toEqual([400, 'validation-error']);
    expect(response.body.violations.map(({ props }: { props: string[] }) => props[0])).toContain(member);
  });

  it.each([
    ['a disabled account', 'UPDATE accounts SET disabled = 1 WHERE id = ?', 'account-disabled'],
    ['an expired account', 'UPDATE accounts SET account_expires_at = 1 WHERE id = ?', 'account-expired'],
    [
      'a suspended tenant',
      "UPDATE tenants SET status = 'SUSPENDED' WHERE id = (SELECT tenant_id FROM accounts WHERE id = ?)",
      'login-policy-rejected',
    ],
  ])('of %s: 401', async (_name, change, code) => {
    const { account, authenticator } = await user({ tenantId: 'globex' });
    await opened.deployment.database.execute(change, [idToBytes(account.id)]);
    expect(await logIn(authenticator)).toEqual(problem(401, code, LOGIN));
  });

  it('in a tenant with passkeyLogin false: 401 login-policy-rejected', async () => {
    const { account, authenticator } = await user({ tenantId: 'initech' });
    const root = await seedAccount(opened.deployment.database, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    const by = callerWith(
      opened.deployment.url,
      root,
      bearer((await seedSession(opened.deployment, root)).accessToken),
    );
    const policy = await by.patch(`/tenants/${account.tenantId}/policy`, { passkeyLogin: false });
    expect(policy.body.effective.passkeyLogin).toBe(false);
    expect(await logIn(authenticator)).toEqual(problem(401, 'login-policy-rejected', LOGIN));
    expect((await by.patch(`/tenants/${account.tenantId}/policy`, { passkeyLogin: null })).status).toBe(200);
    expect((await logIn(authenticator)).status).toBe(200);
  });
});

describe('under minimal disclosure', () => {
  const { opened, user, start, logIn } = openService({
    engine: 'sqlite',
    transport: 'grpc',
    settings: { 'app.api.error-disclosure.mode': 'minimal' },
  });

  it('all refusals are the same 401 bad-credentials', async () => {
    const { authenticator } = await user();
    const { challenge, options } = await start();
    const passkey = authenticator.get(options);
    const stranger = createAuthenticator({ origin: ORIGIN });
    const responses: RestResponse[] = [
      await logIn(authenticator, { isForged: true }),
      await logIn(authenticator, { userVerified: false }),
      await logIn(stranger, { userHandle: 'AAAA' }),
      await opened.rest.postJson(LOGIN, { challenge: 'x', passkey }, { origin: ORIGIN }),
      await opened.rest.postJson(LOGIN, { challenge, passkey }),
    ];
    for (const response of responses) {
      expect(response).toEqual(problem(401, 'bad-credentials', LOGIN));
      expect(comparable(response)).toEqual(comparable(responses[0]!));
    }
    expect((await opened.rest.postJson(LOGIN, { challenge, passkey }, { origin: ORIGIN })).status).toBe(200);
  });
});

describe.each(DIAGONAL)('profile B ($engine, $transport)', (kind) => {
  const { opened, user, start, logIn } = openService({ ...kind, settings: { 'app.security.auth-profile': 'B' } });

  it('returns both tokens in the body', async () => {
    const { account, authenticator } = await user();
    const response = await logIn(authenticator, {}, { remember_me: true });
    expect(response.body).toMatchObject({
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 900,
      user: { id: account.id },
    });
    expect([response.status, response.cookies]).toEqual([200, []]);
    expect(
      (await opened.rest.send('GET', '/api/v1/auth/me', { headers: bearer(response.body.access_token) })).status,
    ).toBe(200);
  });

  it('returns four-field errors', async () => {
    const { authenticator } = await user();
    expect(await logIn(authenticator, { isForged: true })).toEqual(authError(401, 'AUTH_SECOND_FACTOR_INVALID', LOGIN));
    const { options } = await start();
    const body = { challenge: 'x', passkey: authenticator.get(options) };
    expect(await opened.rest.postJson(LOGIN, body, { origin: ORIGIN })).toEqual(
      authError(401, 'AUTH_CHALLENGE_INVALID', LOGIN),
    );
    expect(await opened.rest.postJson(LOGIN, {})).toEqual(authError(400, 'AUTH_VALIDATION_ERROR', LOGIN));
  });
});

describe('a service without passkeys', () => {
  it('returns 404 in both profiles', async () => {
    for (const [profile, expected] of [
      ['A', (path: string) => problem(404, 'not-found', path)],
      ['B', (path: string) => authError(404, 'NOT_FOUND', path)],
    ] as const) {
      const settings = { 'app.security.auth-profile': profile };
      const deployment = await deploy({ engine: 'sqlite', transport: 'local', settings });
      try {
        const rest = restClient(deployment.url);
        expect(await rest.postJson(OPTIONS, '')).toEqual(expected(OPTIONS));
        expect(await rest.postJson(LOGIN, { challenge: 'x', passkey: {} })).toEqual(expected(LOGIN));
        const path = '/api/v1/auth/second-factor/passkey-options';
        expect(await rest.postJson(path, { challenge: 'x' })).toEqual(expected(path));
      } finally {
        await deployment.close();
      }
    }
  });
});
