// Second factors under requests at once, at two processes of one database.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import type { Authenticator, Ceremony } from '../../support/authenticator.ts';
import { untilServed } from '../../support/at-once.ts';
import { ENGINES } from '../../support/databases.ts';
import { deploy, type Deployment } from '../../support/deployment.ts';
import { seedPasskeyOwner } from '../../support/factor-users.ts';
import { CREDENTIALS, seedTotp, wrongCode } from '../../support/factors.ts';
import { seedChallenge } from '../../support/login-challenges.ts';
import { PASSKEYS } from '../../support/passkeys.ts';
import { bearer, restClient, type RestClient, type RestResponse } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';

rememberPasswords();

const COUNT = 50;
const ANSWER = '/api/v1/auth/second-factor';
const MINUTE_MS = 60_000;

describe.each(ENGINES)('two processes on %s', (engine) => {
  let processes: readonly Deployment[];
  let clients: readonly RestClient[];
  beforeAll(async () => {
    const first = await deploy({ engine, transport: 'local', settings: PASSKEYS });
    processes = [
      first,
      await deploy({
        engine,
        transport: 'local',
        settings: PASSKEYS,
        databaseUrl: first.databaseUrl,
        clock: first.clock,
      }),
    ];
    clients = processes.map(({ url }) => restClient(url));
  });
  afterAll(async () => {
    for (const deployment of processes.toReversed()) await deployment.close();
  });

  const at = (index: number) => clients[index % clients.length]!;
  /** More than logins can create. */
  const challengesOf = (account: Account, count = COUNT) =>
    Promise.all(Array.from({ length: count }, () => seedChallenge(processes[0]!, account)));
  /** Sends answers at once and returns their statuses and error codes, counted. */
  const answer = (answers: readonly object[]) =>
    outcomesOf(answers.map((body, index) => () => at(index).postJson(ANSWER, body)));
  async function outcomesOf(requests: readonly (() => Promise<RestResponse>)[]): Promise<Record<string, number>> {
    const responses = await Promise.all(requests.map(untilServed));
    const outcomes = responses.map(({ status, body }) => (status === 200 ? '200' : body.errorCode));
    return Object.fromEntries([...Map.groupBy(outcomes, (outcome) => outcome)].map(([key, all]) => [key, all.length]));
  }
  const count = async (sql: string, { id }: Account) =>
    (await processes[0]!.database.query<{ count: number }>(`SELECT COUNT(*) AS count FROM ${sql}`, [idToBytes(id)]))[0]!
      .count;
  const sessionsOf = (account: Account) => count('session_families WHERE account_id = ?', account);

  it.each(['totp', 'recoveryCode'])('let one %s into one of 50 challenges', async (proof) => {
    const { account, code, recoveryCodes } = await seedTotp(processes[0]!);
    const challenges = await challengesOf(account);
    const value = proof === 'totp' ? code() : recoveryCodes[0];
    expect(await answer(challenges.map((challenge) => ({ challenge, [proof]: value })))).toEqual({
      200: 1,
      'second-factor-invalid': 5,
      'second-factor-locked': 44,
    });
    expect(await sessionsOf(account)).toBe(1);
  });

  /** Returns a passkey for each challenge, with options that any of the processes has created. */
  const prove = (authenticator: Authenticator, challenges: readonly string[], ceremony: Ceremony = {}) =>
    Promise.all(
      challenges.map(async (challenge, index) => {
        const { body } = await at(index).postJson(`${ANSWER}/passkey-options`, { challenge });
        return { challenge, passkey: authenticator.get(body.options, ceremony) };
      }),
    );
  const counterOf = async ({ id }: Account) => {
    const sql = 'SELECT counter FROM passkeys WHERE account_id = ?';
    return (await processes[0]!.database.query<{ counter: number }>(sql, [idToBytes(id)]))[0]!.counter;
  };

  it('accept one passkey of a challenge once, however often it is sent', async () => {
    const { account, authenticator } = await seedPasskeyOwner(processes[0]!);
    const [proof] = await prove(authenticator, await challengesOf(account, 1));
    expect(await answer(Array.from({ length: COUNT }, () => proof!))).toEqual({
      200: 1,
      'challenge-invalid': COUNT - 1,
    });
    expect(await sessionsOf(account)).toBe(1);
  });

  it('accept one login by passkey once, however often it is sent', async () => {
    const { account, authenticator } = await seedPasskeyOwner(processes[0]!);
    const { challenge, options } = (await at(0).postJson('/api/v1/auth/passkey/options', {})).body;
    const body = { challenge, passkey: authenticator.get(options) };
    const sent = Array.from({ length: COUNT }, (_, index) => () => at(index).postJson('/api/v1/auth/passkey', body));
    expect(await outcomesOf(sent)).toEqual({ 200: 1, 'challenge-invalid': COUNT - 1 });
    expect(await sessionsOf(account)).toBe(1);
  });

  it('let one of 10 copies of an authenticator in, and keep the highest counter', async () => {
    const { account, authenticator } = await seedPasskeyOwner(processes[0]!);
    const copies = await prove(authenticator, await challengesOf(account, 10), { counter: 7 });
    expect(await answer(copies)).toEqual({ 200: 1, 'second-factor-invalid': 9 });
    const others = await challengesOf(account, 10);
    const counting = (
      await Promise.all(others.map((challenge, index) => prove(authenticator, [challenge], { counter: 8 + index })))
    ).flat();
    const { 200: logins = 0, 'second-factor-invalid': behind = 0 } = await answer(counting);
    expect(logins + behind).toBe(10);
    expect(await sessionsOf(account)).toBe(1 + logins);
    expect(await counterOf(account)).toBe(17);
  });

  it('let one TOTP into one of 20 confirmations and logins', async () => {
    const { account, code } = await seedTotp(processes[0]!);
    const challenges = await challengesOf(account, 10);
    const sessions = await Promise.all(challenges.map(() => seedSession(processes[0]!, account)));
    const totp = code();
    const requests = challenges.flatMap((challenge, index) => [
      () => at(index).postJson(ANSWER, { challenge, totp }),
      () => at(index).postJson('/api/v1/account/confirm', { totp }, bearer(sessions[index]!.accessToken)),
    ]);
    expect(await outcomesOf(requests)).toEqual({ 200: 1, 'second-factor-invalid': 5, 'second-factor-locked': 14 });
    const confirmed = await count("audit_records WHERE event = 'session.confirmed' AND account_id = ?", account);
    expect((await sessionsOf(account)) - sessions.length + confirmed).toBe(1);
  });

  it('keep the newest 20 challenges of an account', async () => {
    const [person, other] = [await seedTotp(processes[0]!), await seedTotp(processes[0]!)];
    const loginAt = (index: number) => at(index).login(CREDENTIALS(person.account));
    const { challenge: kept } = (await at(0).login(CREDENTIALS(other.account))).body;
    const oldest = (await loginAt(0)).body.challenge;
    await Promise.all(Array.from({ length: 30 }, (_, index) => untilServed(() => loginAt(index))));
    const newest = (await loginAt(1)).body.challenge;
    expect(await count('login_challenges WHERE account_id = ?', person.account)).toBe(20);
    expect(await answer([{ challenge: oldest, totp: person.code() }])).toEqual({ 'challenge-invalid': 1 });
    expect(await answer([{ challenge: newest, totp: person.code() }])).toEqual({ 200: 1 });
    expect(await answer([{ challenge: kept, totp: other.code() }])).toEqual({ 200: 1 });
  });

  it('evaluate 5 of 50 wrong codes, over all challenges', async () => {
    const person = await seedTotp(processes[0]!);
    const challenges = await challengesOf(person.account);
    expect(await answer(challenges.map((challenge) => ({ challenge, totp: wrongCode(person) })))).toEqual({
      'second-factor-invalid': 5,
      'second-factor-locked': 45,
    });
    const failed = "audit_records WHERE event = 'second-factor.failed' AND account_id = ?";
    expect(await count(failed, person.account)).toBe(5);
  });

  it('evaluate 5 wrong codes of any 15 minutes, also across the end of the first ones', async () => {
    const person = await seedTotp(processes[0]!);
    const { clock } = processes[0]!;
    const wrong = async (times: number) => {
      const challenges = await challengesOf(person.account, times);
      return answer(challenges.map((challenge) => ({ challenge, totp: wrongCode(person) })));
    };
    expect(await wrong(1)).toEqual({ 'second-factor-invalid': 1 });
    clock.advance(14 * MINUTE_MS);
    expect(await wrong(3)).toEqual({ 'second-factor-invalid': 3 });
    clock.advance(MINUTE_MS);
    expect(await wrong(6)).toEqual({ 'second-factor-invalid': 2, 'second-factor-locked': 4 });
    clock.advance(15 * MINUTE_MS - 1);
    expect(await wrong(1)).toEqual({ 'second-factor-locked': 1 });
    clock.advance(1);
    expect(await wrong(1)).toEqual({ 'second-factor-invalid': 1 });
  });

  it('evaluate 5 wrong codes of one challenge, and use it once', async () => {
    const person = await seedTotp(processes[0]!);
    const [challenge, other] = await challengesOf(person.account, 2);
    const wrong = Array.from({ length: COUNT }, () => ({ challenge, totp: wrongCode(person) }));
    expect(await answer(wrong)).toEqual({ 'second-factor-invalid': 5, 'challenge-invalid': 45 });
    processes[0]!.clock.advance(15 * MINUTE_MS);
    expect((await at(0).postJson(ANSWER, { challenge: other, totp: person.code() })).status).toBe(401);
    const [fresh] = await challengesOf(person.account, 1);
    const codes = [person.code(-1), person.code(0), person.code(1)];
    const { 200: logins, ...refused } = await answer(codes.map((totp) => ({ challenge: fresh, totp })));
    expect([logins, refused]).toEqual([1, { 'challenge-invalid': 2 }]);
    expect(await sessionsOf(person.account)).toBe(1);
  });

  it('open all sessions of different codes at once', async () => {
    const { account, recoveryCodes } = await seedTotp(processes[0]!);
    const challenges = await challengesOf(account, 10);
    const answers = challenges.map((challenge, index) => ({ challenge, recoveryCode: recoveryCodes[index] }));
    expect(await answer(answers)).toEqual({ 200: 10 });
    expect(await sessionsOf(account)).toBe(10);
  });
});
