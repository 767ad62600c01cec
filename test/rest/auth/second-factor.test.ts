// A login with a second factor: the challenge, its answer, and what ends a challenge. In both profiles.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeJwt } from 'jose';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { PASSWORD, seedAccount, type Seed } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { CREDENTIALS, PROFILES, seedTotp, wrongCode, type TotpOwner } from '../../support/factors.ts';
import { bearer, restClient, type RestClient, type RestResponse } from '../../support/rest-client.ts';
import { actorOf, clientsOf } from '../../support/world.ts';
import { seedSession } from '../../support/sessions.ts';

rememberPasswords();

const PATH = '/api/v1/auth/second-factor';
const MINUTE_MS = 60_000;
const SHOP = 'https://shop.test';

/** Each profile once, and each engine and transport once: no test depends on both. */
const CASES = PROFILES.map((profile, index) => ({ ...DIAGONAL[index % DIAGONAL.length]!, ...profile }));

describe.each(CASES)('Profile $profile, $engine over $transport', (kind) => {
  const { settings, recoveryCode, recoveryCodes, expiresIn, errorOf, error } = kind;
  let deployment: Deployment;
  let rest: RestClient;
  beforeAll(async () => {
    const origins = { 'app.http.cors.allowed-origins': `${SHOP},https://other.test` };
    deployment = await deploy({ ...kind, settings: { ...settings, ...origins } });
    rest = restClient(deployment.url);
  });
  afterAll(() => deployment?.close());

  const owner = (seed?: Seed) => seedTotp(deployment, seed);
  const complete = (body: object, headers?: Record<string, string>) => rest.postJson(PATH, body, headers);
  const login = (account: Account, more: object = {}, headers?: Record<string, string>) =>
    rest.login({ ...CREDENTIALS(account), ...more }, headers);
  async function challengeOf(account: Account, ...more: [object?, Record<string, string>?]): Promise<string> {
    const { body } = await login(account, ...more);
    return body.challenge;
  }
  const sessionsOf = async ({ id }: Account) =>
    (await deployment.database.query('SELECT id FROM session_families WHERE account_id = ?', [idToBytes(id)])).length;
  const eventsOf = async ({ id }: Account) => {
    await deployment.core.flush();
    const rows = await deployment.database.query<{ event: string; details: string }>(
      'SELECT event, details FROM audit_records WHERE account_id = ? ORDER BY id',
      [idToBytes(id)],
    );
    return rows.map(({ event, details }) => [event, JSON.parse(details)] as const);
  };
  const refused = (response: RestResponse) => [response.status, errorOf(response)];

  it('asks for a factor after the right password, and creates no session, token or cookie', async () => {
    const { account } = await owner();
    const response = await login(account);
    expect(refused(response)).toEqual([401, error('second-factor-required')]);
    expect(response.body).toMatchObject({ methods: ['totp', 'recovery-code'], [expiresIn]: 300 });
    expect(response.body.challenge).toMatch(/^[\x21-\x7e]{1,512}$/);
    expect(response.cookies).toEqual([]);
    expect(response.headers.get('www-authenticate')).toBeNull();
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.text).not.toMatch(/accessToken|access_token/);
    expect([await sessionsOf(account), await eventsOf(account)]).toEqual([0, []]);
  });

  it('asks nothing of an account without a factor', async () => {
    const account = await seedAccount(deployment.database);
    expect((await login(account)).status).toBe(200);
  });

  it('does not reveal to a wrong password that the account has a factor', async () => {
    const [{ account }, other] = [await owner(), await seedAccount(deployment.database)];
    const refusals = [account, other].map(({ username }) => rest.login({ username, password: 'wrong' }));
    const [first, second] = (await Promise.all(refusals)).map(refused);
    expect(first).toEqual(second);
    expect(first).toEqual([401, error('bad-credentials')]);
  });

  it('opens the session of the profile with a TOTP', async () => {
    const { account, code } = await owner();
    const challenge = await challengeOf(account, { rememberMe: true });
    const response = await complete({ challenge, totp: code() });
    expect(response.status).toBe(200);
    const plain = await login(await seedAccount(deployment.database), { rememberMe: true });
    expect(Object.keys(response.body)).toEqual(Object.keys(plain.body));
    expect(response.cookies.map(({ name, attributes }) => [name, attributes])).toEqual(
      plain.cookies.map(({ name, attributes }) => [name, attributes]),
    );
    const token = response.body.accessToken ?? response.body.access_token;
    expect(decodeJwt(token)).toMatchObject({ sub: account.id, amr: ['pwd', 'otp', 'mfa'] });
    expect((await rest.me(token)).status).toBe(200);
    expect((await eventsOf(account)).map(([event]) => event)).toEqual(['login.succeeded']);
  });

  it('opens a session with each recovery code once, in any spelling', async () => {
    const { account, recoveryCodes: codes } = await owner();
    const spelled = codes[0]!.toLowerCase().replaceAll('-', ' ');
    const response = await complete({ challenge: await challengeOf(account), [recoveryCode]: spelled });
    expect(response.status).toBe(200);
    const again = await complete({ challenge: await challengeOf(account), [recoveryCode]: codes[0] });
    expect(refused(again)).toEqual([401, error('second-factor-invalid')]);
    expect((await eventsOf(account)).map(([event, details]) => [event, details])).toEqual([
      ['recovery-code.used', { remaining: 9 }],
      ['login.succeeded', expect.objectContaining({ methods: ['password', 'recovery-code'] })],
      ['second-factor.failed', { method: 'recovery-code' }],
    ]);
  });

  it('offers recovery codes until the last one is used', async () => {
    const { account, recoveryCodes: codes } = await owner();
    for (const code of codes) {
      const { body } = await login(account);
      expect(body.methods).toEqual(['totp', 'recovery-code']);
      expect((await complete({ challenge: body.challenge, [recoveryCode]: code })).status).toBe(200);
    }
    expect((await login(account)).body.methods).toEqual(['totp']);
  });

  it('accepts the TOTP of each step once per account, and of no earlier step', async () => {
    const { account, code } = await owner();
    const answer = async (totp: string) => (await complete({ challenge: await challengeOf(account), totp })).status;
    expect([await answer(code()), await answer(code()), await answer(code(-1))]).toEqual([200, 401, 401]);
    expect(await answer(code(1))).toBe(200);
    deployment.clock.advance(MINUTE_MS);
    expect(await answer(code())).toBe(200);
  });

  it('uses a challenge once', async () => {
    const { account, code } = await owner();
    const challenge = await challengeOf(account);
    expect((await complete({ challenge, totp: code() })).status).toBe(200);
    expect(refused(await complete({ challenge, totp: code(1) }))).toEqual([401, error('challenge-invalid')]);
  });

  it('ends a challenge after 300 s', async () => {
    const { account, code } = await owner();
    const [first, second] = [await challengeOf(account), await challengeOf(account)];
    deployment.clock.advance(299_999);
    expect((await complete({ challenge: first, totp: code() })).status).toBe(200);
    deployment.clock.advance(1);
    expect(refused(await complete({ challenge: second, totp: code(1) }))).toEqual([401, error('challenge-invalid')]);
  });

  it('locks the codes at the fifth wrong one for 15 minutes, over all challenges, also for right ones', async () => {
    const person = await owner();
    const { account, code, recoveryCodes: codes } = person;
    const [one, other] = [await challengeOf(account), await challengeOf(account)];
    const wrong = [401, error('second-factor-invalid')];
    for (const challenge of [one, one, other, other])
      expect(refused(await complete({ challenge, totp: wrongCode(person) }))).toEqual(wrong);
    expect(refused(await complete({ challenge: one, [recoveryCode]: 'AAAA-AAAA-AAAA-AAAA' }))).toEqual(wrong);
    for (const answer of [{ totp: code() }, { totp: wrongCode(person) }, { [recoveryCode]: codes[0] }]) {
      const locked = await complete({ challenge: other, ...answer });
      expect(refused(locked)).toEqual([423, error('second-factor-locked')]);
      expect(Number(locked.headers.get('retry-after'))).toBe(900);
    }
    // The password still works, and a locked answer is no try of its challenge.
    deployment.clock.advance(15 * MINUTE_MS - 1);
    const last = await challengeOf(account);
    for (let count = 0; count < 6; count += 1)
      expect(refused(await complete({ challenge: last, totp: code() }))).toEqual([423, error('second-factor-locked')]);
    deployment.clock.advance(1);
    expect((await complete({ challenge: last, totp: code() })).status).toBe(200);
    const events = (await eventsOf(account)).map(([event]) => event);
    expect(events.filter((event) => event === 'second-factor.failed')).toHaveLength(5);
    expect(events.filter((event) => event === 'second-factor.locked')).toHaveLength(1);
  });

  it('begins to count again after a completed login', async () => {
    const person = await owner();
    const fail = async (count: number) => {
      const challenge = await challengeOf(person.account);
      for (let tried = 0; tried < count; tried += 1)
        expect((await complete({ challenge, totp: wrongCode(person) })).status).toBe(401);
      return challenge;
    };
    expect((await complete({ challenge: await fail(4), totp: person.code() })).status).toBe(200);
    deployment.clock.advance(MINUTE_MS);
    expect((await complete({ challenge: await fail(4), totp: person.code() })).status).toBe(200);
  });

  it('is not locked by wrong passwords, and a right one resets their count', async () => {
    const { account, code } = await owner();
    const challenge = await challengeOf(account);
    for (let count = 0; count < 5; count += 1) await rest.login({ username: account.username, password: 'wrong' });
    expect((await login(account)).status).toBe(423);
    expect((await complete({ challenge, totp: code() })).status).toBe(200);

    const other = await owner();
    for (let count = 0; count < 4; count += 1)
      await rest.login({ username: other.account.username, password: 'wrong' });
    await challengeOf(other.account);
    const [row] = await deployment.database.query('SELECT login_failed_count FROM accounts WHERE id = ?', [
      idToBytes(other.account.id),
    ]);
    expect(row).toEqual({ login_failed_count: 0 });
  });

  it.each<[what: string, first: string | undefined, second: string | undefined]>([
    ['another page', SHOP, 'https://other.test'],
    ['a client that is no browser', SHOP, undefined],
    ['a page, if the login was none', undefined, SHOP],
  ])('refuses the challenge from %s', async (_what, first, second) => {
    const { account, code } = await owner();
    const from = (origin: string | undefined) => (origin === undefined ? {} : { origin });
    const challenge = await challengeOf(account, {}, from(first));
    const other = await complete({ challenge, totp: code() }, from(second));
    expect(refused(other)).toEqual([401, error('challenge-invalid')]);
    expect((await complete({ challenge, totp: code() }, from(first))).status).toBe(200);
  });

  it.each<[what: string, change: (owner: TotpOwner) => Promise<unknown>, refusal: string]>([
    ['disabled', ({ account }) => set(account, 'disabled = 1'), 'account-disabled'],
    ['expired', ({ account }) => set(account, `account_expires_at = ${deployment.clock.now()}`), 'account-expired'],
    ['of an old password', ({ account }) => set(account, 'credentials_expire_at = 1'), 'credentials-expired'],
    ['with other factors', ({ account }) => set(account, 'factors_version = factors_version + 1'), 'challenge-invalid'],
    [
      'deleted',
      ({ account }) => deployment.database.execute('DELETE FROM accounts WHERE id = ?', [idToBytes(account.id)]),
      'challenge-invalid',
    ],
  ])('is judged again: %s', async (_what, change, refusal) => {
    const person = await owner();
    const challenge = await challengeOf(person.account);
    await change(person);
    expect(refused(await complete({ challenge, totp: person.code() }))).toEqual([401, error(refusal)]);
    expect(await sessionsOf(person.account)).toBe(0);
  });

  const set = ({ id }: Account, assignment: string) =>
    deployment.database.execute(`UPDATE accounts SET ${assignment} WHERE id = ?`, [idToBytes(id)]);

  it('ends with a change of the password, and with the suspension of the tenant', async () => {
    const { account, code } = await owner({ tenantId: 'ending' });
    const root = await seedAccount(deployment.database, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    const { as } = actorOf(root, await seedSession(deployment, root));
    const { identity, tenancy } = clientsOf(deployment);
    const before = await challengeOf(account);
    await identity.setUserPassword({ userId: account.id, password: `${PASSWORD}!` }, as);
    expect(refused(await complete({ challenge: before, totp: code() }))).toEqual([401, error('challenge-invalid')]);

    const { body } = await rest.login({ username: account.username, password: `${PASSWORD}!` });
    await tenancy.suspendTenant({ tenantId: 'ending' }, as);
    await tenancy.activateTenant({ tenantId: 'ending' }, as);
    const suspended = await complete({ challenge: body.challenge, totp: code() });
    expect(refused(suspended)).toEqual([401, error('challenge-invalid')]);
  });

  it.each<[what: string, body: (challenge: string) => object]>([
    ['no factor', (challenge) => ({ challenge })],
    ['no challenge', () => ({ totp: '123456' })],
    ['an empty challenge', () => ({ challenge: '', totp: '123456' })],
    ['a challenge of 513 characters', () => ({ challenge: 'a'.repeat(513), totp: '123456' })],
    ['two factors', (challenge) => ({ challenge, totp: '123456', [recoveryCode]: 'AAAA-AAAA-AAAA-AAAA' })],
    ['five digits', (challenge) => ({ challenge, totp: '12345' })],
    ['seven digits', (challenge) => ({ challenge, totp: '1234567' })],
    ['letters', (challenge) => ({ challenge, totp: 'abcdef' })],
    ['a number', (challenge) => ({ challenge, totp: 123_456 })],
    ['an empty recovery code', (challenge) => ({ challenge, [recoveryCode]: '' })],
    ['a recovery code of 65 characters', (challenge) => ({ challenge, [recoveryCode]: 'A'.repeat(65) })],
    ['null', (challenge) => ({ challenge, totp: null })],
    ['a list', () => []],
  ])('returns 400 for %s, which counts nothing', async (_what, body) => {
    const { account, code } = await owner();
    const challenge = await challengeOf(account);
    expect(refused(await complete(body(challenge)))).toEqual([400, error('validation-error')]);
    expect((await complete({ challenge, totp: code() })).status).toBe(200);
    expect((await eventsOf(account)).map(([event]) => event)).toEqual(['login.succeeded']);
  });

  it.each(['garbage', '.', `${'0'.repeat(36)}.${'A'.repeat(43)}`, `\u0000`, '💐'])(
    'refuses a challenge that it has not issued: %j',
    async (challenge) => {
      expect(refused(await complete({ challenge, totp: '123456' }))).toEqual([401, error('challenge-invalid')]);
    },
  );

  it('refuses the enrolment of an account that has a factor', async () => {
    const { account } = await owner();
    const challenge = await challengeOf(account);
    const response = await rest.postJson(`${PATH}/enrolment`, { challenge, method: 'totp' });
    expect(refused(response)).toEqual([401, error('challenge-invalid')]);
  });

  it('has no use for a challenge as a credential', async () => {
    const { account } = await owner();
    const challenge = await challengeOf(account);
    expect((await rest.send('GET', '/api/v1/auth/me', { headers: bearer(challenge) })).status).toBe(401);
  });

  it('shows the recovery codes of an enrolment only', async () => {
    const { account, code } = await owner();
    const response = await complete({ challenge: await challengeOf(account), totp: code() });
    expect(Object.keys(response.body)).not.toContain(recoveryCodes);
  });
});
