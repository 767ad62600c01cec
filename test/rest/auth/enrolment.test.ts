// A tenant that requires a second factor: the login creates it, and sessions without one end at their next refresh.
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/auth/access/account.ts';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import { seedAccount, type Seed } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { ENGINES } from '../../support/databases.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { codeOf as codeAt, CREDENTIALS, fromBase32, PROFILES, seedTotp } from '../../support/factors.ts';
import { restClient, type RestClient, type RestResponse } from '../../support/rest-client.ts';
import { seedSession, seedTokens } from '../../support/sessions.ts';
import { openAdministration } from '../admin/administration.ts';

rememberPasswords();

const PATH = '/api/v1/auth/second-factor';
/** Each profile once, and each engine and transport once: no test depends on both. */
const CASES = PROFILES.map((profile, index) => ({ ...DIAGONAL[index % DIAGONAL.length]!, ...profile }));

describe.each(CASES)('Profile $profile, $engine over $transport', (kind) => {
  const { settings, recoveryCode, recoveryCodes, expiresIn, errorOf, error } = kind;
  let deployment: Deployment;
  let rest: RestClient;
  beforeAll(async () => {
    deployment = await deploy({ ...kind, settings: { ...settings, 'app.security.second-factor': 'REQUIRED' } });
    rest = restClient(deployment.url);
  });
  afterAll(() => deployment?.close());

  const login = (account: Account) => rest.login(CREDENTIALS(account));
  const complete = (body: object) => rest.postJson(PATH, body);
  const start = (challenge: string, method = 'totp') => rest.postJson(`${PATH}/enrolment`, { challenge, method });
  const refused = (response: RestResponse) => [response.status, errorOf(response)];
  const codeOf = (secret: string, later = 0) => codeAt(secret, deployment.clock.now(), later);

  it('creates the first factor with the login, ends the other sessions, and shows the recovery codes once', async () => {
    const account = await seedAccount(deployment.database);
    const [old, oldTokens] = [await seedSession(deployment, account), await seedTokens(deployment, account)];
    const required = await login(account);
    expect(refused(required)).toEqual([401, error('second-factor-enrolment-required')]);
    expect(required.body).toMatchObject({ methods: ['totp'], [expiresIn]: 300 });
    const { challenge } = required.body;

    const started = await start(challenge);
    expect([started.status, Object.keys(started.body)]).toEqual([200, ['secret', 'uri']]);
    const { secret, uri } = started.body;
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(new URL(uri).searchParams.get('secret')).toBe(secret);
    expect(started.headers.get('cache-control')).toBe('no-store');

    const completed = await complete({ challenge, totp: codeOf(secret) });
    expect(completed.status).toBe(200);
    const codes = completed.body[recoveryCodes];
    expect(new Set(codes).size).toBe(10);
    const token = completed.body.accessToken ?? completed.body.access_token;
    expect(decodeJwt(token)).toMatchObject({ amr: ['pwd', 'otp', 'mfa'] });
    expect((await rest.me(token)).status).toBe(200);
    for (const session of [old, oldTokens]) expect((await rest.me(session.accessToken)).status).toBe(401);

    const next = await login(account);
    expect(next.body).toMatchObject({ methods: ['totp', 'recovery-code'] });
    const again = await complete({ challenge: next.body.challenge, totp: codeOf(secret) });
    expect(refused(again)).toEqual([401, error('second-factor-invalid')]);
    expect((await complete({ challenge: next.body.challenge, [recoveryCode]: codes[9] })).status).toBe(200);
    deployment.clock.advance(60_000);
    const last = await login(account);
    expect((await complete({ challenge: last.body.challenge, totp: codeOf(secret) })).status).toBe(200);
  });

  it('counts wrong codes of an enrolment against its challenge, not against the account', async () => {
    const account = await seedAccount(deployment.database);
    const { challenge } = (await login(account)).body;
    const { secret } = (await start(challenge)).body;
    const invalid = [401, error('second-factor-invalid')];
    expect(refused(await complete({ challenge, [recoveryCode]: 'AAAA-AAAA-AAAA-AAAA' }))).toEqual(invalid);
    for (let count = 0; count < 4; count += 1)
      expect(refused(await complete({ challenge, totp: codeOf(secret, 5) }))).toEqual(invalid);
    expect(refused(await complete({ challenge, totp: codeOf(secret) }))).toEqual([401, error('challenge-invalid')]);
    const other = (await login(account)).body.challenge;
    expect((await complete({ challenge: other, totp: codeOf((await start(other)).body.secret) })).status).toBe(200);
  });

  it('completes no enrolment that was not started, and the last of several that were', async () => {
    const account = await seedAccount(deployment.database);
    const { challenge } = (await login(account)).body;
    expect(refused(await complete({ challenge, totp: '123456' }))).toEqual([401, error('second-factor-invalid')]);
    const [first, second] = [(await start(challenge)).body.secret, (await start(challenge)).body.secret];
    expect(refused(await complete({ challenge, totp: codeOf(first) }))).toEqual([401, error('second-factor-invalid')]);
    expect((await complete({ challenge, totp: codeOf(second) })).status).toBe(200);
  });

  it('ends a second enrolment that has begun before the first one is completed', async () => {
    const account = await seedAccount(deployment.database);
    const [one, other] = [(await login(account)).body.challenge, (await login(account)).body.challenge];
    const [first, second] = [(await start(one)).body.secret, (await start(other)).body.secret];
    expect((await complete({ challenge: one, totp: codeOf(first) })).status).toBe(200);
    expect(refused(await complete({ challenge: other, totp: codeOf(second) }))).toEqual([
      401,
      error('challenge-invalid'),
    ]);
  });

  it.each([
    ['an unknown challenge', { challenge: 'garbage', method: 'totp' }, 401, 'challenge-invalid'],
    ['no method', { challenge: 'garbage' }, 400, 'validation-error'],
    ['an unknown method', { challenge: 'garbage', method: 'sms' }, 400, 'validation-error'],
    ['recovery codes', { challenge: 'garbage', method: 'recovery-code' }, 400, 'validation-error'],
    ['no challenge', { method: 'totp' }, 400, 'validation-error'],
    ['an unknown member', { challenge: 'garbage', method: 'totp', more: 1 }, 400, 'validation-error'],
  ])('starts nothing for %s', async (_what, body, status, code) => {
    expect(refused(await rest.postJson(`${PATH}/enrolment`, body))).toEqual([status, error(code)]);
  });

  it('stores neither the secret nor the recovery codes as they are', async () => {
    const account = await seedAccount(deployment.database);
    const { challenge } = (await login(account)).body;
    const { secret } = (await start(challenge)).body;
    const stored = async () => {
      const { database } = deployment;
      const rows = await Promise.all([
        database.query('SELECT * FROM login_challenges WHERE account_id = ?', [idToBytes(account.id)]),
        database.query('SELECT * FROM account_factors WHERE account_id = ?', [idToBytes(account.id)]),
        database.query('SELECT * FROM recovery_codes WHERE account_id = ?', [idToBytes(account.id)]),
      ]);
      const values = rows.flat().flatMap((row) => Object.values(row));
      return values.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value))));
    };
    const started = await stored();
    const codes: string[] = (await complete({ challenge, totp: codeOf(secret) })).body[recoveryCodes];
    const all = [...started, ...(await stored())];
    const secrets = [fromBase32(secret), Buffer.from(secret), Buffer.from(challenge.split('.')[1], 'base64url')];
    const texts = codes.flatMap((code) => [Buffer.from(code), Buffer.from(code.replaceAll('-', ''))]);
    for (const value of [...secrets, ...texts]) expect(all.some((bytes) => bytes.includes(value))).toBe(false);
  });

  it('ends sessions without a factor at their next refresh, and keeps the others', async () => {
    const [account, { account: owner, code }] = [await seedAccount(deployment.database), await seedTotp(deployment)];
    const refresh = (body: { refreshToken?: string | undefined; cookie?: string | undefined }) =>
      kind.profile === 'A'
        ? rest.refresh(body.cookie)
        : rest.postJson('/api/v1/auth/refresh', { refresh_token: body.refreshToken });
    const session = await (kind.profile === 'A' ? seedSession : seedTokens)(deployment, account);
    expect((await rest.me(session.accessToken)).status).toBe(200);
    const invalid = [401, kind.profile === 'A' ? 'refresh-session-invalid' : 'AUTH_TOKEN_INVALID'];
    expect(refused(await refresh(session))).toEqual(invalid);
    expect((await rest.me(session.accessToken)).status).toBe(401);
    await deployment.core.flush();
    const events = await deployment.database.query<{ event: string; details: string }>(
      'SELECT event, details FROM audit_records WHERE account_id = ? ORDER BY id',
      [idToBytes(account.id)],
    );
    expect(events.map(({ event, details }) => [event, JSON.parse(details).reason])).toEqual([
      ['session.revoked', 'policy'],
      ['session.refresh-refused', expect.stringContaining('second factor')],
    ]);

    const { challenge } = (await login(owner)).body;
    const completed = await complete({ challenge, totp: code() });
    const [cookie] = completed.cookies;
    const kept = { refreshToken: completed.body.refresh_token, cookie: cookie && `${cookie.name}=${cookie.value}` };
    expect((await refresh(kept)).status).toBe(200);
  });
});

describe.each(ENGINES)('the policy of a tenant on %s', (engine) => {
  const acme = openAdministration({ engine, transport: 'local' });

  const require = (tenantId: string, secondFactor: string | null) =>
    acme.root.patch(`/tenants/${tenantId}/policy`, { secondFactor });

  it('requires factors of administrators, or of all, at the next login', async () => {
    const { deployment } = acme.world;
    const rest = restClient(deployment.url);
    const seed = (roles: string[], more: Seed = {}) =>
      seedAccount(deployment.database, { tenantId: 'strict', roles, ...more });
    const people = [await seed(['FLORIST']), await seed(['ADMIN']), await seed(['OWNER']), await seed(['SALES'])];
    const codes = async () => {
      const responses = await Promise.all(people.map((person) => rest.login(CREDENTIALS(person))));
      return responses.map(({ status, body }) => (status === 200 ? 200 : body.errorCode));
    };
    const enrolment = 'second-factor-enrolment-required';
    expect(await codes()).toEqual([200, 200, 200, 200]);
    expect((await require('strict', 'REQUIRED_FOR_ADMINISTRATORS')).status).toBe(200);
    expect(await codes()).toEqual([200, enrolment, enrolment, 200]);
    expect((await require('strict', 'REQUIRED')).status).toBe(200);
    expect(await codes()).toEqual([enrolment, enrolment, enrolment, enrolment]);
    expect((await require('strict', null)).status).toBe(200);
    expect(await codes()).toEqual([200, 200, 200, 200]);
    const other = await seedAccount(deployment.database, { tenantId: 'lax', roles: ['ADMIN'] });
    await require('strict', 'REQUIRED');
    expect((await rest.login(CREDENTIALS(other))).status).toBe(200);
  });

  it('is never looser than the setting', async () => {
    const settings = { 'app.security.second-factor': 'REQUIRED_FOR_ADMINISTRATORS' };
    const deployment = await deploy({ engine, transport: 'local', settings });
    try {
      const rest = restClient(deployment.url);
      const [admin, root] = [
        await seedAccount(deployment.database, { roles: ['ADMIN'] }),
        await seedAccount(deployment.database, { tenantId: undefined, roles: ['SUPER_ADMIN'] }),
      ];
      const stored = [JSON.stringify({ secondFactor: 'OPTIONAL' }), Buffer.from('acme')];
      const update = 'UPDATE tenants SET policy = ?, definitions_version = definitions_version + 1 WHERE id = ?';
      await deployment.database.execute(update, stored);
      for (const account of [admin, root])
        expect((await rest.login(CREDENTIALS(account))).body.errorCode).toBe('second-factor-enrolment-required');
      const { accessToken } = await seedSession(deployment, root);
      const refused = await rest.send('PATCH', '/api/v1/tenants/acme/policy', {
        headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ secondFactor: 'OPTIONAL' }),
      });
      expect([refused.status, refused.body.violations]).toEqual([
        400,
        [
          {
            message: expect.stringContaining('cannot be looser than app.security.second-factor'),
            format: 'enum',
            props: ['secondFactor'],
            params: { allowed: ['REQUIRED_FOR_ADMINISTRATORS', 'REQUIRED'] },
          },
        ],
      ]);
    } finally {
      await deployment.close();
    }
  });

  it('shows its value and the one in force', async () => {
    await require('strict', 'REQUIRED');
    expect((await acme.root.get('/tenants/strict/policy')).body).toMatchObject({
      policy: { secondFactor: 'REQUIRED' },
      effective: { secondFactor: 'REQUIRED' },
    });
    expect((await require('strict', 'ALWAYS')).status).toBe(400);
  });
});
