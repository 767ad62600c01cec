// Access codes of administrators, which stand in for a lost factor at one login, in both profiles.
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { PASSWORD, seedAccount } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { caller, faults, type Caller } from '../../support/callers.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { eventually } from '../../support/eventually.ts';
import { codeOf, PROFILES, seedTotp } from '../../support/factors.ts';
import { mailFolder } from '../../support/mails.ts';
import { bearer, restClient, type RestClient, type RestResponse } from '../../support/rest-client.ts';

rememberPasswords();

const MINUTE_MS = 60_000;
const FACTOR = '/api/v1/auth/second-factor';
/** Each profile, engine and transport. */
const CASES = PROFILES.map((profile, index) => ({ ...DIAGONAL[index % DIAGONAL.length]!, ...profile }));

describe.each(CASES)('Profile $profile, $engine over $transport', (kind) => {
  const { settings, errorOf, error, profile, recoveryCode } = kind;
  const member = profile === 'A' ? 'accessCode' : 'access_code';
  const mails = mailFolder();
  let deployment: Deployment;
  let rest: RestClient;
  let admin: Caller;
  beforeAll(async () => {
    deployment = await deploy({ ...kind, settings: { ...settings, ...mails.settings } });
    rest = restClient(deployment.url);
    admin = await caller(deployment, { roles: ['ADMIN'] });
  });
  afterAll(() => deployment?.close());

  const refused = (response: RestResponse) => [response.status, errorOf(response)];
  const login = (username: string) => rest.login({ username, password: PASSWORD });
  const challengeOf = async (username: string) => (await login(username)).body.challenge as string;
  const answer = (challenge: string, code: string) => rest.postJson(FACTOR, { challenge, [member]: code });
  const tokenOf = ({ body }: RestResponse): string => body.accessToken ?? body.access_token;
  const newCode = async (id: string, minutes = 5): Promise<string> =>
    (await admin.post(`/users/${id}/access-code`, { minutes })).body.accessCode;

  it('stands in for a factor at one login, without mfa, and tells the user', async () => {
    const email = `${newId()}@mail.test`;
    const { account } = await seedTotp(deployment, { email });
    const { username, id } = account;
    expect((await login(username)).body.methods).toEqual(['totp', 'recovery-code']);
    const created = await admin.post(`/users/${id}/access-code`, { minutes: 5 });
    expect([created.status, created.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const { accessCode, expiresAt } = created.body;
    expect(accessCode).toMatch(/^\d{8}$/);
    expect(Date.parse(expiresAt)).toBe(deployment.clock.now() + 5 * MINUTE_MS);
    const required = await login(username);
    expect(required.body.methods).toEqual(['totp', 'recovery-code', 'access-code']);
    const other = await challengeOf(username);
    const completed = await answer(required.body.challenge, `${accessCode.slice(0, 4)}-${accessCode.slice(4)} `);
    expect(completed.status).toBe(200);
    expect(decodeJwt(tokenOf(completed))).toMatchObject({ amr: ['pwd'] });
    expect(refused(await answer(other, accessCode))).toEqual([401, error('second-factor-invalid')]);
    expect((await login(username)).body.methods).toEqual(['totp', 'recovery-code']);
    await eventually(() => expect(mails.to(email)[0]?.subject).toBe('An access code for your account of acme'));
  });

  it('opens one session of several logins at once, and is replaced by a further code', async () => {
    const { account } = await seedTotp(deployment);
    const first = await newCode(account.id);
    const code = await newCode(account.id);
    if (first !== code)
      expect(refused(await answer(await challengeOf(account.username), first))).toEqual([
        401,
        error('second-factor-invalid'),
      ]);
    const challenges = [await challengeOf(account.username), await challengeOf(account.username)];
    const statuses = await Promise.all(challenges.map(async (challenge) => (await answer(challenge, code)).status));
    expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 401]);
  });

  it('counts wrong codes towards the lock of the factors', async () => {
    const { account, recoveryCodes } = await seedTotp(deployment);
    const code = await newCode(account.id);
    const wrong = code === '00000000' ? '11111111' : '00000000';
    const challenge = await challengeOf(account.username);
    for (let count = 0; count < 5; count += 1)
      expect(refused(await answer(challenge, wrong))).toEqual([401, error('second-factor-invalid')]);
    const next = await challengeOf(account.username);
    expect((await answer(next, code)).status).toBe(423);
    expect((await rest.postJson(FACTOR, { challenge: next, [recoveryCode]: recoveryCodes[0] })).status).toBe(423);
  });

  it('is for users with a factor, from 5 to 60 minutes', async () => {
    const { id } = await seedAccount(deployment.database);
    expect((await admin.post(`/users/${id}/access-code`, { minutes: 5 })).status).toBe(409);
    expect((await admin.post(`/users/${admin.account.id}/access-code`, { minutes: 5 })).status).toBe(409);
    const { account } = await seedTotp(deployment);
    for (const minutes of [4, 61, undefined])
      expect(faults(await admin.post(`/users/${account.id}/access-code`, { minutes }))).toEqual(['minutes']);
    const helper = await caller(deployment, { roles: ['HELP_DESK'] });
    expect((await helper.post(`/users/${account.id}/access-code`, { minutes: 5 })).status).toBe(403);
  });

  it('ends with a reset of the factors, and by time', async () => {
    const { account } = await seedTotp(deployment);
    const code = await newCode(account.id);
    deployment.clock.advance(5 * MINUTE_MS);
    expect(refused(await answer(await challengeOf(account.username), code))).toEqual([
      401,
      error('second-factor-invalid'),
    ]);
    await newCode(account.id);
    expect((await admin.delete(`/users/${account.id}/factors`)).status).toBe(204);
    expect((await login(account.username)).status).toBe(200);
  });

  it('opens a session that lasts to its first refresh where a factor is required, unless one is created in it', async () => {
    const root = await caller(deployment, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    const [left, enrolled] = [
      await seedTotp(deployment, { tenantId: 'strict' }),
      await seedTotp(deployment, { tenantId: 'strict' }),
    ];
    expect((await root.patch('/tenants/strict/policy', { secondFactor: 'REQUIRED' })).status).toBe(200);
    const open = async ({ account }: typeof left) => {
      const code = (await root.post(`/users/${account.id}/access-code`, { minutes: 5 })).body.accessCode;
      return answer(await challengeOf(account.username), code);
    };
    const refresh = (response: RestResponse) =>
      profile === 'A'
        ? rest.refresh(`${response.cookies[0]!.name}=${response.cookies[0]!.value}`)
        : rest.postJson('/api/v1/auth/refresh', { refresh_token: response.body.refresh_token });
    const session = await open(left);
    expect((await rest.me(tokenOf(session))).status).toBe(200);
    expect((await refresh(session)).status).toBe(401);

    const other = await open(enrolled);
    const as = bearer(tokenOf(other));
    const { secret } = (await rest.send('POST', '/api/v1/account/factors/totp', { headers: as })).body;
    const totp = codeOf(secret, deployment.clock.now());
    expect((await rest.postJson('/api/v1/account/factors/totp/confirm', { totp }, as)).status).toBe(200);
    expect((await refresh(other)).status).toBe(200);
  });
});
