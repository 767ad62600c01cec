// Passwords of administrators: generated and temporary ones, and the login that replaces them, in both profiles.
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD, seedAccount, type Seed } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { untilServed } from '../../support/at-once.ts';
import { caller, faults, type Caller } from '../../support/callers.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { PROFILES, seedTotp } from '../../support/factors.ts';
import { restClient, type RestClient, type RestResponse } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';

rememberPasswords();

const NEW = 'a password of my own';
const DAY_MS = 24 * 3600_000;
/** Each profile, engine and transport. */
const CASES = PROFILES.map((profile, index) => ({ ...DIAGONAL[index % DIAGONAL.length]!, ...profile }));

describe.each(CASES)('Profile $profile, $engine over $transport', (kind) => {
  const { settings, expiresIn, errorOf, error, profile } = kind;
  const member = profile === 'A' ? 'newPassword' : 'new_password';
  let deployment: Deployment;
  let rest: RestClient;
  let admin: Caller;
  beforeAll(async () => {
    deployment = await deploy({ ...kind, settings });
    rest = restClient(deployment.url);
    admin = await caller(deployment, { roles: ['ADMIN'] });
  });
  afterAll(() => deployment?.close());

  const refused = (response: RestResponse) => [response.status, errorOf(response)];
  const login = (username: string, password: string) => rest.login({ username, password });
  const replace = (challenge: string, newPassword = NEW, more: object = {}) =>
    rest.postJson('/api/v1/auth/password-change', { challenge, [member]: newPassword, ...more });
  const tokenOf = ({ body }: RestResponse): string => body.accessToken ?? body.access_token;

  /** A user with a temporary password. */
  async function temporary(seed: Seed = {}) {
    const user = await seedAccount(deployment.database, seed);
    const response = await admin.put(`/users/${user.id}/password`, { temporary: true });
    expect(response.status).toBe(200);
    const password: string = response.body.password;
    const challengeOf = async () => (await login(user.username, password)).body.challenge as string;
    return { user, password, challengeOf, response };
  }

  it('generates a password that stays, shows it once, and ends the sessions', async () => {
    const user = await seedAccount(deployment.database);
    const old = await seedSession(deployment, user);
    const response = await admin.put(`/users/${user.id}/password`, {});
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(response.body.user).toMatchObject({ id: user.id });
    expect(response.body.password).toMatch(/^[a-z0-9]{5}(?:-[a-z0-9]{5}){3}$/);
    expect((await rest.me(old.accessToken)).status).toBe(401);
    expect((await login(user.username, PASSWORD)).status).toBe(401);
    expect((await login(user.username, response.body.password)).status).toBe(200);
    const given = await admin.put(`/users/${user.id}/password`, { newPassword: 'a long given password' });
    expect([given.body.id, 'password' in given.body]).toEqual([user.id, false]);
    expect((await login(user.username, 'a long given password')).status).toBe(200);
  });

  it.each<[string, object, string]>([
    ['both names', { password: 'a long given password', newPassword: 'a long given password' }, 'newPassword'],
    ['a short password', { newPassword: 'short' }, 'newPassword'],
    ['a short password by its other name', { password: 'short' }, 'password'],
  ])('returns 400 for %s', async (_what, body, field) => {
    const { id } = await seedAccount(deployment.database);
    const response = await admin.put(`/users/${id}/password`, body);
    expect([response.status, faults(response)]).toEqual([400, [field]]);
  });

  it('replaces a temporary password at the next login, which opens the session', async () => {
    const { user, password } = await temporary();
    const required = await login(user.username, password);
    expect(refused(required)).toEqual([401, error('password-change-required')]);
    expect([required.body[expiresIn], 'methods' in required.body]).toEqual([300, false]);
    const { challenge } = required.body;
    for (const weak of ['short', user.username, password]) {
      const response = await replace(challenge, weak);
      expect([weak, ...refused(response)]).toEqual([weak, 400, error('validation-error')]);
    }
    const old = await seedSession(deployment, user);
    const changed = await replace(challenge);
    expect([changed.status, changed.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect((await rest.me(tokenOf(changed))).status).toBe(200);
    expect(decodeJwt(tokenOf(changed))).toMatchObject({ amr: ['pwd'] });
    expect((await rest.me(old.accessToken)).status).toBe(401);
    expect(refused(await replace(challenge))).toEqual([401, error('challenge-invalid')]);
    expect((await login(user.username, password)).status).toBe(401);
    expect((await login(user.username, NEW)).status).toBe(200);
  });

  it('asks for the second factor afterwards, and accepts no challenge at another step', async () => {
    const owner = await seedTotp(deployment);
    const { password } = (await admin.put(`/users/${owner.account.id}/password`, { temporary: true })).body;
    const { challenge } = (await login(owner.account.username, password)).body;
    const invalid = [401, error('challenge-invalid')];
    const factor = (text: string, totp = owner.code()) =>
      rest.postJson('/api/v1/auth/second-factor', { challenge: text, totp });
    expect(refused(await factor(challenge))).toEqual(invalid);
    expect(refused(await rest.postJson('/api/v1/auth/second-factor/enrolment', { challenge, method: 'totp' }))).toEqual(
      invalid,
    );
    const next = await replace(challenge);
    expect(refused(next)).toEqual([401, error('second-factor-required')]);
    expect(next.body.methods).toEqual(['totp', 'recovery-code']);
    expect(refused(await replace(next.body.challenge))).toEqual(invalid);
    const completed = await factor(next.body.challenge);
    expect(completed.status).toBe(200);
    expect(decodeJwt(tokenOf(completed))).toMatchObject({ amr: ['pwd', 'otp', 'mfa'] });
  });

  it('opens one session of several answers at once', async () => {
    const { user, challengeOf } = await temporary();
    const challenge = await challengeOf();
    const answers = await Promise.all(
      [1, 2, 3].map(async (number) => (await untilServed(() => replace(challenge, `${NEW} ${number}`))).status),
    );
    expect(answers.toSorted((one, other) => one - other)).toEqual([200, 401, 401]);
    expect((await admin.get(`/users/${user.id}/sessions`)).body).toHaveLength(1);
  });

  it('is refused after the account is disabled, and comes after its lock', async () => {
    const { user, challengeOf } = await temporary();
    const challenge = await challengeOf();
    expect((await admin.post(`/users/${user.id}/disable`)).status).toBe(200);
    expect(refused(await replace(challenge))).toEqual([401, error('challenge-invalid')]);
    const locked = await temporary();
    for (let count = 0; count < 5; count += 1) await login(locked.user.username, 'wrong password');
    expect((await login(locked.user.username, locked.password)).status).toBe(423);
  });

  it('ends after 24 hours, and with another password', async () => {
    const { user, password, challengeOf } = await temporary();
    const challenge = await challengeOf();
    const other = await temporary();
    const otherChallenge = await other.challengeOf();
    await admin.put(`/users/${other.user.id}/password`, { newPassword: 'a long given password' });
    expect(refused(await replace(otherChallenge))).toEqual([401, error('challenge-invalid')]);
    expect((await login(other.user.username, 'a long given password')).status).toBe(200);
    deployment.clock.advance(DAY_MS - 60_000);
    const late = await challengeOf();
    deployment.clock.advance(60_000);
    expect(refused(await login(user.username, password))).toEqual([401, error('credentials-expired')]);
    expect(refused(await replace(late))).toEqual([401, error('credentials-expired')]);
    expect(refused(await replace(challenge))).toEqual([401, error('challenge-invalid')]);
  });
});

describe('minimal disclosure', () => {
  let deployment: Deployment;
  beforeAll(async () => {
    const settings = { 'app.api.error-disclosure.mode': 'minimal' };
    deployment = await deploy({ engine: 'sqlite', transport: 'local', settings });
  });
  afterAll(() => deployment?.close());

  it('names the change that is required, and an invalid challenge like a wrong password', async () => {
    const rest = restClient(deployment.url);
    const admin = await caller(deployment, { roles: ['ADMIN'] });
    const { id, username } = await seedAccount(deployment.database);
    const { password } = (await admin.put(`/users/${id}/password`, { temporary: true })).body;
    const required = await rest.login({ username, password });
    expect([required.status, required.body.errorCode]).toEqual([401, 'password-change-required']);
    const replace = (challenge: string) =>
      rest.postJson('/api/v1/auth/password-change', { challenge, newPassword: NEW });
    const wrong = await replace('garbage');
    expect([wrong.status, wrong.body.errorCode]).toEqual([401, 'bad-credentials']);
    expect((await replace(required.body.challenge)).status).toBe(200);
  });
});
