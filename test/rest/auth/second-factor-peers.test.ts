// Faults of second factors in other services, as they were reported there. Each is tried here.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SecondFactorPolicy } from '../../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import { PASSWORD, seedAccount } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { atOnce } from '../../support/at-once.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { CREDENTIALS, seedTotp, wrongCode } from '../../support/factors.ts';
import { bearer, restClient, type RestClient, type RestResponse } from '../../support/rest-client.ts';
import { seedSession, signIn } from '../../support/sessions.ts';
import { clientsOf } from '../../support/world.ts';

rememberPasswords();

const PATH = '/api/v1/auth/second-factor';
const AT_ONCE = 20;

describe.each(DIAGONAL)('on $engine over $transport', (kind) => {
  let deployment: Deployment;
  let rest: RestClient;
  beforeAll(async () => {
    deployment = await deploy(kind);
    rest = restClient(deployment.url);
  });
  afterAll(() => deployment?.close());

  const refused = ({ status, body }: RestResponse) => [status, body.errorCode];
  const challengeOf = async (account: Account): Promise<string> =>
    (await rest.login(CREDENTIALS(account))).body.challenge;
  const answer = (body: object) => rest.postJson(PATH, body);
  const count = async (table: string, { id }: Account) => {
    const sql = `SELECT COUNT(*) AS count FROM ${table} WHERE account_id = ?`;
    return (await deployment.database.query<{ count: number }>(sql, [idToBytes(id)]))[0]!.count;
  };

  it('a TOTP is refused at its second use, in the steps before and after too (better-auth 10387)', async () => {
    const { account, code } = await seedTotp(deployment);
    const totp = code();
    expect((await answer({ challenge: await challengeOf(account), totp })).status).toBe(200);
    for (const wait of [0, 30_000]) {
      deployment.clock.advance(wait);
      const again = await answer({ challenge: await challengeOf(account), totp });
      expect(refused(again)).toEqual([401, 'second-factor-invalid']);
    }
  });

  it('a password alone gives no session, and its challenge is not one (Kratos 3671, 4317, GHSA-wc43-73w7-x2f5)', async () => {
    const { account } = await seedTotp(deployment);
    const response = await rest.login(CREDENTIALS(account));
    expect([response.status, response.cookies, await count('session_families', account)]).toEqual([401, [], 0]);
    const { challenge } = response.body;
    const cookie = `MY_SHOP_REFRESH=${challenge}`;
    const attempts = [
      rest.me(challenge),
      rest.send('GET', '/api/v1/auth/verify', { headers: bearer(challenge) }),
      rest.send('GET', '/api/v1/account/factors', { headers: bearer(challenge) }),
      rest.send('GET', '/api/v1/auth/me', { headers: { cookie } }),
      rest.refresh(cookie),
    ];
    expect((await Promise.all(attempts)).map(({ status }) => status)).toEqual(attempts.map(() => 401));
  });

  it('one recovery code at once opens one session (Keycloak 26106)', async () => {
    const { account, recoveryCodes } = await seedTotp(deployment);
    const challenge = await challengeOf(account);
    const others = await Promise.all(Array.from({ length: 3 }, () => challengeOf(account)));
    const challenges = [challenge, ...others];
    let index = 0;
    const responses = await atOnce(AT_ONCE, () => {
      index += 1;
      return answer({ challenge: challenges[index % challenges.length], recoveryCode: recoveryCodes[0] });
    });
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await count('session_families', account)).toBe(1);
  });

  it('TOTP is offered before recovery codes (Keycloak 44115)', async () => {
    const { account } = await seedTotp(deployment);
    expect((await rest.login(CREDENTIALS(account))).body.methods).toEqual(['totp', 'recovery-code']);
  });

  it('no code is evaluated during the lock, the right one neither (Keycloak 26177, 26180)', async () => {
    const person = await seedTotp(deployment);
    const { account, code, recoveryCodes } = person;
    const wrong = async () => answer({ challenge: await challengeOf(account), totp: wrongCode(person) });
    for (let guess = 0; guess < 5; guess += 1) expect((await wrong()).status).toBe(401);
    const during = [{ totp: wrongCode(person) }, { totp: code() }, { recoveryCode: recoveryCodes[0] }];
    for (const proof of during) {
      const locked = await answer({ challenge: await challengeOf(account), ...proof });
      expect(refused(locked)).toEqual([423, 'second-factor-locked']);
    }
    deployment.clock.advance(15 * 60_000);
    const after = await answer({ challenge: await challengeOf(account), recoveryCode: recoveryCodes[0] });
    expect(after.status).toBe(200);
  });

  it('5 guesses of one challenge are evaluated under a burst (better-auth, tries of a challenge)', async () => {
    const person = await seedTotp(deployment);
    const challenge = await challengeOf(person.account);
    const responses = await atOnce(AT_ONCE, () => answer({ challenge, totp: wrongCode(person) }));
    const evaluated = responses.filter(({ body }) => body.errorCode === 'second-factor-invalid');
    expect(evaluated).toHaveLength(5);
  });

  it('a stranger without the password cannot lock the factor (Keycloak 46164)', async () => {
    const person = await seedTotp(deployment);
    const challenge = await challengeOf(person.account);
    const { username } = person.account;
    for (let attempt = 0; attempt < 7; attempt += 1) await rest.login({ username, password: `not ${PASSWORD}` });
    const forged = Array.from({ length: 7 }, (_, index) => `${challenge.slice(0, -1)}${index}`);
    for (const stranger of forged.filter((text) => text !== challenge))
      expect(refused(await answer({ challenge: stranger, totp: wrongCode(person) }))).toEqual([
        401,
        'challenge-invalid',
      ]);
    // The password is locked by now. The user, who gave it before, continues.
    expect((await answer({ challenge, totp: person.code() })).status).toBe(200);
  });

  it('a tenant that requires factors asks its own users, and no others (helivanta 913)', async () => {
    const tenants = ['strict', 'other'].map((name) => `${name}-${kind.transport}`);
    const [strict, other] = await Promise.all(
      tenants.map((tenantId) => seedAccount(deployment.database, { tenantId })),
    );
    const root = await seedAccount(deployment.database, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    const policy = { allowedOrigins: [], secondFactor: SecondFactorPolicy.SECOND_FACTOR_POLICY_REQUIRED };
    await clientsOf(deployment).tenancy.updateTenantPolicy(
      { tenantId: strict!.tenantId!, policy, updateMask: ['second_factor'] },
      await signIn(deployment, root),
    );
    expect(refused(await rest.login(CREDENTIALS(strict!)))).toEqual([401, 'second-factor-enrolment-required']);
    expect((await rest.login(CREDENTIALS(other!))).status).toBe(200);
  });

  it('a confirmation opens no session (better-auth 8071)', async () => {
    const account = await seedAccount(deployment.database);
    const { accessToken } = await seedSession(deployment, account);
    const body = { password: PASSWORD };
    const confirmed = await rest.postJson('/api/v1/account/confirm', body, bearer(accessToken));
    expect([confirmed.status, confirmed.cookies]).toEqual([200, []]);
    expect(await count('session_families', account)).toBe(1);
  });
});
