// POST /account/confirm for accounts with a second factor.
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/auth/access/account.ts';
import { PASSWORD, seedAccount } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { createAuthenticator, type Authenticator, type Ceremony } from '../../support/authenticator.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { CREDENTIALS, PROFILES, seedTotp, wrongCode, type TotpOwner } from '../../support/factors.ts';
import { addPasskey, ORIGIN, PASSKEYS } from '../../support/passkeys.ts';
import { problem } from '../../support/problems.ts';
import { bearer, restClient, type RestClient } from '../../support/rest-client.ts';
import { seedSession, seedTokens, signIn } from '../../support/sessions.ts';
import { clientsOf } from '../../support/world.ts';
import { administrator } from '../api-key/api-keys.ts';

rememberPasswords();

const CONFIRM = '/api/v1/account/confirm';
const OPTIONS = `${CONFIRM}/passkey-options`;
const SECOND_FACTOR = '/api/v1/auth/second-factor';
const MINUTE_MS = 60_000;
const INVALID = problem(401, 'second-factor-invalid', CONFIRM);
const LOCKED = problem(423, 'second-factor-locked', CONFIRM);

/** Each profile once, and each engine and transport once: no test depends on both. */
const KINDS = PROFILES.map((profile, index) => ({ ...DIAGONAL[index % DIAGONAL.length]!, ...profile }));

describe.each(KINDS)('profile $profile, $engine over $transport', ({ profile, settings, ...kind }) => {
  let deployment: Deployment;
  let rest: RestClient;
  beforeAll(async () => {
    deployment = await deploy({ ...kind, settings: { ...settings, ...PASSKEYS } });
    rest = restClient(deployment.url);
  });
  afterAll(() => deployment?.close());

  const open = profile === 'A' ? seedSession : seedTokens;
  const confirm = (accessToken: string, body: object) => rest.postJson(CONFIRM, body, bearer(accessToken));
  const isFresh = async (accessToken: string) =>
    (await rest.send('GET', '/api/v1/auth/verify?max-age=30', { headers: bearer(accessToken) })).status === 200;
  const login = (account: Account) => rest.postJson('/api/v1/auth/login', CREDENTIALS(account));
  const completeWith = async (account: Account, answer: object) =>
    rest.postJson(SECOND_FACTOR, { challenge: (await login(account)).body.challenge, ...answer });
  const eventsOf = async ({ id, tenantId }: Account) => {
    await deployment.core.flush();
    const admin = await administrator(deployment, { tenantId, roles: ['ADMIN'] });
    const { body } = await rest.send('GET', `/api/v1/audit-records?accountId=${id}`, { headers: admin.headers });
    return (body as { event: string; details: object }[]).map(({ event, details }) => ({ event, details }));
  };
  /** Opens a session a minute ago. */
  const openEarlier = async (account: Account) => {
    const opened = await open(deployment, account);
    deployment.clock.advance(MINUTE_MS);
    return opened;
  };
  /** An account with a TOTP, and a session. */
  const totpOwner = async () => {
    const owner = await seedTotp(deployment);
    return { ...owner, ...(await openEarlier(owner.account)) };
  };

  it('confirms with a TOTP, which adds otp and mfa to the session', async () => {
    const { id, account, accessToken, code } = await totpOwner();
    expect(await isFresh(accessToken)).toBe(false);
    const response = await confirm(accessToken, { totp: code() });
    expect(response).toMatchObject({ status: 200, body: { accessToken: expect.any(String), expiresIn: 900 } });
    expect(Object.keys(response.body)).toHaveLength(2);
    expect(decodeJwt(response.body.accessToken)).toMatchObject({
      sid: id,
      auth_time: Math.floor(deployment.clock.now() / 1000),
      amr: ['pwd', 'otp', 'mfa'],
    });
    expect(await isFresh(accessToken)).toBe(true);
    const withMfa = await rest.send('GET', '/api/v1/auth/verify?amr=mfa', { headers: bearer(accessToken) });
    expect(withMfa.status).toBe(200);
    const details = { sessionId: id, by: 'otp' };
    expect(await eventsOf(account)).toContainEqual({ event: 'session.confirmed', details });
  });

  it.each([PASSWORD, 'wrong'])(
    'requires the factor for the password %j, and does not evaluate it',
    async (password) => {
      const { account, accessToken } = await totpOwner();
      for (let count = 0; count < 6; count += 1) {
        const response = await confirm(accessToken, { password });
        expect(response).toEqual(problem(401, 'second-factor-required', CONFIRM));
        expect(response.body).toMatchObject({ methods: ['totp'] });
        expect(Object.keys(response.body)).not.toEqual(expect.arrayContaining(['challenge']));
        expect(Object.keys(response.body)).not.toEqual(expect.arrayContaining(['expiresIn']));
        expect(response.headers.get('www-authenticate')).toBeNull();
      }
      expect(await isFresh(accessToken)).toBe(false);
      expect((await login(account)).body).toHaveProperty('challenge');
      expect((await eventsOf(account)).map(({ event }) => event)).not.toContain('login.failed');
    },
  );

  it('locks after five wrong codes, those of logins included, and says for how long', async () => {
    const owner = await totpOwner();
    const { account, accessToken, code } = owner;
    for (let count = 0; count < 3; count += 1)
      expect(await confirm(accessToken, { totp: wrongCode(owner) })).toEqual(INVALID);
    for (let count = 0; count < 2; count += 1)
      expect((await completeWith(account, { totp: wrongCode(owner) })).status).toBe(401);
    const locked = await confirm(accessToken, { totp: code() });
    expect(locked).toEqual(LOCKED);
    expect(locked.headers.get('retry-after')).toBe('900');
    expect((await completeWith(account, { totp: code() })).status).toBe(423);
    expect(await isFresh(accessToken)).toBe(false);
    const events = (await eventsOf(account)).map(({ event }) => event);
    expect(events.filter((event) => event === 'second-factor.failed')).toHaveLength(5);
    expect(events).toContain('second-factor.locked');
    expect(events).not.toContain('session.confirmed');
  });

  it('starts counting again after a right code', async () => {
    const owner = await totpOwner();
    for (let count = 0; count < 4; count += 1) await confirm(owner.accessToken, { totp: wrongCode(owner) });
    expect((await confirm(owner.accessToken, { totp: owner.code() })).status).toBe(200);
    expect(await confirm(owner.accessToken, { totp: wrongCode(owner) })).toEqual(INVALID);
    expect((await completeWith(owner.account, { totp: owner.code(1) })).status).toBe(200);
  });

  it('accepts a code once, for a confirmation or a login', async () => {
    const { account, accessToken, code } = await totpOwner();
    expect((await completeWith(account, { totp: code() })).status).toBe(200);
    expect(await confirm(accessToken, { totp: code() })).toEqual(INVALID);
    expect((await confirm(accessToken, { totp: code(1) })).status).toBe(200);
    expect((await completeWith(account, { totp: code(1) })).status).toBe(401);
  });

  it('does not count codes of an account without a TOTP', async () => {
    const account = await seedAccount(deployment.database);
    const { accessToken } = await open(deployment, account);
    for (let count = 0; count < 6; count += 1) expect(await confirm(accessToken, { totp: '123456' })).toEqual(INVALID);
    expect((await confirm(accessToken, { password: PASSWORD })).status).toBe(200);
  });

  it.each<readonly [string, object]>([
    ['nothing', {}],
    ['two proofs', { password: PASSWORD, totp: '123456' }],
    ['three proofs', { password: PASSWORD, totp: '123456', passkey: {} }],
    ['a recovery code', { recoveryCode: 'AAAA-AAAA-AAAA-AAAA' }],
    ['seven digits', { totp: '1234567' }],
    ['a number as a code', { totp: 123_456 }],
    ['a text as a passkey', { passkey: '{}' }],
    ['a large passkey', { passkey: { id: 'x'.repeat(16_384) } }],
  ])('returns 400 for %s', async (_what, body) => {
    const { accessToken } = await totpOwner();
    expect(await confirm(accessToken, body)).toEqual(problem(400, 'validation-error', CONFIRM));
  });

  describe('with a passkey', () => {
    const passkeyOwner = async (owner?: TotpOwner) => {
      const account = owner?.account ?? (await seedAccount(deployment.database));
      const authenticator = createAuthenticator({ origin: ORIGIN });
      await addPasskey(clientsOf(deployment), await signIn(deployment, account), authenticator);
      return { account, authenticator, ...(await openEarlier(account)) };
    };
    const optionsOf = async (accessToken: string) => {
      const response = await rest.send('POST', OPTIONS, { headers: bearer(accessToken) });
      expect([response.status, Object.keys(response.body)]).toEqual([200, ['options']]);
      return response.body.options;
    };
    const prove = async (accessToken: string, authenticator: Authenticator, ceremony: Ceremony = {}) =>
      confirm(accessToken, { passkey: authenticator.get(await optionsOf(accessToken), ceremony) });

    it.each([
      [{}, 'hwk user', ['pwd', 'hwk', 'user', 'mfa']],
      [{ userVerified: false }, 'hwk', ['pwd', 'hwk', 'mfa']],
    ])('confirms with %j', async (ceremony, by, amr) => {
      const { id, account, authenticator, accessToken } = await passkeyOwner();
      const response = await prove(accessToken, authenticator, ceremony);
      expect(response.status).toBe(200);
      expect(decodeJwt(response.body.accessToken)).toMatchObject({ sid: id, amr });
      expect(await isFresh(accessToken)).toBe(true);
      const proven = (await eventsOf(account)).find(({ event }) => event === 'session.confirmed');
      expect(proven?.details).toMatchObject({ sessionId: id, by: expect.stringContaining(by) });
    });

    it('confirms with other backup flags, which are stored and audited', async () => {
      const { account, authenticator, accessToken } = await passkeyOwner();
      const response = await prove(accessToken, authenticator, { backupEligible: true });
      expect(response.status).toBe(200);
      expect(decodeJwt(response.body.accessToken)).toMatchObject({ amr: ['pwd', 'swk', 'user', 'mfa'] });
      const changed = (await eventsOf(account)).filter(({ event }) => event === 'factor.changed');
      expect(changed.map(({ details }) => details)).toEqual([
        { method: 'passkey', passkeyId: expect.any(String), backupEligible: 'true', backedUp: 'true' },
      ]);
    });

    it('gets options with the passkeys of the account', async () => {
      const { authenticator, accessToken } = await passkeyOwner();
      expect(await optionsOf(accessToken)).toMatchObject({
        rpId: 'localhost',
        userVerification: 'preferred',
        allowCredentials: [{ id: authenticator.id }],
      });
    });

    it('is offered beside the TOTP, and neither counts as a code nor is stopped by their lock', async () => {
      const owner = await seedTotp(deployment);
      const { authenticator, accessToken } = await passkeyOwner(owner);
      expect((await confirm(accessToken, { password: PASSWORD })).body.methods).toEqual(['totp', 'passkey']);
      for (let count = 0; count < 6; count += 1)
        expect(await prove(accessToken, authenticator, { isForged: true })).toEqual(INVALID);
      for (let count = 0; count < 5; count += 1)
        expect(await confirm(accessToken, { totp: wrongCode(owner) })).toEqual(INVALID);
      expect(await confirm(accessToken, { totp: owner.code() })).toEqual(LOCKED);
      expect((await prove(accessToken, authenticator)).status).toBe(200);
    });

    it('is valid once, in the session of its options and for a confirmation', async () => {
      const { account, authenticator, accessToken } = await passkeyOwner();
      const other = await open(deployment, account);
      const options = await optionsOf(accessToken);
      expect(await confirm(other.accessToken, { passkey: authenticator.get(options) })).toEqual(INVALID);
      const { challenge } = (await login(account)).body;
      expect((await rest.postJson(SECOND_FACTOR, { challenge, passkey: authenticator.get(options) })).status).toBe(401);
      const bodies = Array.from({ length: 4 }, () => ({ passkey: authenticator.get(options) }));
      const statuses = (await Promise.all(bodies.map((body) => confirm(accessToken, body)))).map(
        ({ status }) => status,
      );
      expect(statuses.filter((status) => status === 200)).toHaveLength(1);
      expect(await confirm(accessToken, { passkey: authenticator.get(options) })).toEqual(INVALID);
    });

    it('is refused if its counter goes back, if it is not of the account, or late', async () => {
      const { account, authenticator, accessToken } = await passkeyOwner();
      expect((await prove(accessToken, authenticator, { counter: 9 })).status).toBe(200);
      expect(await prove(accessToken, authenticator, { counter: 9 })).toEqual(INVALID);
      const ofNobody = createAuthenticator({ origin: ORIGIN }).get({
        ...(await optionsOf(accessToken)),
        allowCredentials: [],
      });
      expect(await confirm(accessToken, { passkey: ofNobody })).toEqual(INVALID);
      expect(await prove(accessToken, authenticator, { origin: 'https://evil.example' })).toEqual(INVALID);
      const options = await optionsOf(accessToken);
      deployment.clock.advance(5 * MINUTE_MS);
      expect(await confirm(accessToken, { passkey: authenticator.get(options, { counter: 20 }) })).toEqual(INVALID);
      const failed = (await eventsOf(account)).filter(({ event }) => event === 'second-factor.failed');
      expect(failed.map(({ details }) => details)).toContainEqual({
        method: 'passkey',
        reason: 'the counter of the passkey has gone back',
      });
    });

    it('is one audit record each, five times a minute, and then counted, for confirmations and logins', async () => {
      const { account, authenticator, accessToken } = await passkeyOwner();
      deployment.clock.advance(MINUTE_MS - (deployment.clock.now() % MINUTE_MS));
      for (let count = 0; count < 8; count += 1)
        expect(await prove(accessToken, authenticator, { isForged: true })).toEqual(INVALID);
      const { challenge } = (await login(account)).body;
      for (let count = 0; count < 2; count += 1)
        expect((await rest.postJson(SECOND_FACTOR, { challenge, passkey: {} })).status).toBe(401);
      deployment.clock.advance(MINUTE_MS);
      const events = (await eventsOf(account)).filter(({ event }) => event !== 'login.succeeded');
      expect(events.filter(({ event }) => event === 'second-factor.failed')).toHaveLength(5);
      const counted = events.filter(({ event }) => event === 'refusals.counted').map(({ details }) => details);
      expect(counted).toMatchObject([{ kind: 'second-factor' }, { kind: 'second-factor' }]);
      expect(
        counted.map((details) => (details as { count: number }).count).toSorted((one, other) => one - other),
      ).toEqual([2, 3]);
    });

    it('has no options without a passkey', async () => {
      const { accessToken } = await totpOwner();
      const response = await rest.send('POST', OPTIONS, { headers: bearer(accessToken) });
      expect(response).toEqual(problem(404, 'not-found', OPTIONS));
      expect((await rest.send('POST', OPTIONS)).status).toBe(401);
    });
  });
});

describe.each(DIAGONAL)('other settings, $engine over $transport', (kind) => {
  let deployment: Deployment;
  let rest: RestClient;
  const start = async (settings: Readonly<Record<string, string>>) => {
    deployment = await deploy({ ...kind, settings });
    rest = restClient(deployment.url);
  };
  afterAll(() => deployment?.close());
  const confirm = (accessToken: string, body: object) => rest.postJson(CONFIRM, body, bearer(accessToken));

  it('count failed confirmations as failed logins of the network', async () => {
    await start({ 'app.security.login.rate-limit.store': 'memory', 'app.security.login.rate-limit.points': '3' });
    const owner = await seedTotp(deployment);
    const { accessToken } = await seedSession(deployment, owner.account);
    const other = await seedAccount(deployment.database);
    const { accessToken: ofOther } = await seedSession(deployment, other);
    expect(await confirm(ofOther, { password: 'wrong' })).toEqual(problem(401, 'bad-credentials', CONFIRM));
    expect(await confirm(accessToken, { totp: wrongCode(owner) })).toEqual(INVALID);
    expect(await confirm(ofOther, { totp: '123456' })).toEqual(INVALID);
    for (const [token, body] of [
      [accessToken, { totp: owner.code() }],
      [ofOther, { password: PASSWORD }],
    ] as const) {
      const limited = await confirm(token, body);
      expect(limited).toEqual(problem(429, 'too-many-requests', CONFIRM));
      expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await rest.login(CREDENTIALS(other))).status).toBe(429);
    await deployment.close();
  });

  it('do not continue a session without the factor that is required: a refresh would end it', async () => {
    await start({ 'app.security.second-factor': 'REQUIRED', 'app.api.error-disclosure.mode': 'minimal' });
    const { accessToken } = await seedSession(deployment, await seedAccount(deployment.database));
    const refused = await confirm(accessToken, { password: PASSWORD });
    expect(refused).toEqual(problem(401, 'second-factor-required', CONFIRM));
    expect(Object.keys(refused.body)).not.toContain('methods');
    const direct = clientsOf(deployment).session.confirmSession(
      { proof: { $case: 'password', value: PASSWORD } },
      { authorization: [`Bearer ${accessToken}`] },
    );
    await expect(direct).rejects.toMatchObject({
      status: {
        reason: 'SECOND_FACTOR_REQUIRED',
        message: expect.stringContaining('log in again'),
        stepUp: undefined,
        challenge: undefined,
      },
    });
  });

  it('hide under minimal disclosure why a factor is refused, but not that one is required, nor its lock', async () => {
    const owner = await seedTotp(deployment);
    const { accessToken } = await seedSession(deployment, owner.account);
    const required = await confirm(accessToken, { password: PASSWORD });
    expect(required).toEqual(problem(401, 'second-factor-required', CONFIRM));
    expect(required.body.methods).toEqual(['totp']);
    const direct = clientsOf(deployment).session.confirmSession(
      { proof: { $case: 'totp', value: wrongCode(owner) } },
      { authorization: [`Bearer ${accessToken}`] },
    );
    await expect(direct).rejects.toMatchObject({ status: { reason: 'BAD_CREDENTIALS' } });
    const refused = [
      await confirm(accessToken, { totp: wrongCode(owner) }),
      await confirm(accessToken, { passkey: {} }),
    ];
    for (const response of refused) expect(response).toEqual(problem(401, 'bad-credentials', CONFIRM));
    expect(refused[1]!.body).toEqual(refused[0]!.body);
    for (let count = 0; count < 3; count += 1) await confirm(accessToken, { totp: wrongCode(owner) });
    expect(await confirm(accessToken, { totp: owner.code() })).toEqual(LOCKED);
  });

  it('name the methods in ErrorInfo for gRPC clients', async () => {
    const { account } = await seedTotp(deployment);
    const as = await signIn(deployment, account);
    const call = clientsOf(deployment).session.confirmSession({ proof: { $case: 'password', value: PASSWORD } }, as);
    await expect(call).rejects.toMatchObject({
      status: { reason: 'SECOND_FACTOR_REQUIRED', stepUp: { methods: ['totp'] }, challenge: undefined },
    });
  });

  it('have no options of passkeys without passkeys', async () => {
    const { accessToken } = await seedSession(deployment, await seedAccount(deployment.database));
    const response = await rest.send('POST', OPTIONS, { headers: bearer(accessToken) });
    expect(response).toEqual(problem(404, 'not-found', OPTIONS));
  });
});
