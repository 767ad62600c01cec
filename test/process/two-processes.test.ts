// Two services on one database server: a session that ends at one has ended at the other, at once.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../src/auth/access/account.ts';
import { seedAccount } from '../support/accounts.ts';
import { createTestDatabase, SERVER_ENGINE, type TestDatabase } from '../support/databases.ts';
import { restClient, sessionOf, type RestClient } from '../support/rest-client.ts';
import { ROUNDS } from '../support/rounds.ts';
import { seedSession } from '../support/sessions.ts';
import { endProcesses, SHOP_SETTINGS, startProgram } from '../support/service-process.ts';

/** Sessions that end at one process. */
const SESSIONS = 40 * ROUNDS;
const AT_ONCE = 10;

describe('two processes on one database', () => {
  let test: TestDatabase;
  let one: RestClient;
  let other: RestClient;
  let account: Account;
  const seed = () => seedSession({ database: test.database, clock: { now: Date.now, advance: () => {} } }, account);

  beforeAll(async () => {
    test = await createTestDatabase(SERVER_ENGINE);
    account = await seedAccount(test.database);
    const settings = { ...SHOP_SETTINGS, 'app.database.url': test.url };
    const services = [startProgram('gateway', { settings }), startProgram('gateway', { settings })];
    [one, other] = (await Promise.all(services.map(async (service) => restClient((await service.ready()).http)))) as [
      RestClient,
      RestClient,
    ];
  });
  afterAll(async () => {
    await endProcesses();
    await test?.drop();
  });

  it(
    `reject a session at once after the other process ended it, ${SESSIONS} times`,
    async () => {
      let remaining = SESSIONS;
      const outcomes = new Map<string, number>();
      const worker = async (): Promise<void> => {
        while ((remaining -= 1) >= 0) {
          const [here, there] = remaining % 2 === 0 ? [one, other] : [other, one];
          const session = await seed();
          // The other process has checked this very token before and may remember that.
          const before = (await there.me(session.accessToken)).status;
          const logout = (await here.logout(session)).status;
          const [me, refresh] = await Promise.all([there.me(session.accessToken), there.refresh(session.cookie)]);
          const outcome = [before, logout, me.status, refresh.status].join(' ');
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      expect(Object.fromEntries(outcomes)).toEqual({ '200 200 401 401': SESSIONS });
    },
    60_000 * ROUNDS,
  );

  it('refresh one session in turn, and a replay at one ends it at both', async () => {
    const first = await seed();
    let { cookie, accessToken } = first as { cookie: string; accessToken: string };
    for (let i = 0; i < 20; i += 1)
      ({ cookie, accessToken } = sessionOf(await (i % 2 === 0 ? one : other).refresh(cookie)));
    expect((await one.me(accessToken)).status).toBe(200);
    expect((await other.refresh(first.cookie)).status).toBe(401);
    expect((await one.me(accessToken)).status).toBe(401);
    expect((await one.refresh(cookie)).status).toBe(401);
  });

  it('accept exactly one of two parallel refreshes', async () => {
    const round = async () => {
      const { cookie } = await seed();
      const statuses = (await Promise.all([one.refresh(cookie), other.refresh(cookie)])).map(({ status }) => status);
      expect(statuses).toEqual(expect.arrayContaining([200, 401]));
    };
    await Promise.all(Array.from({ length: 3 * ROUNDS }, round));
  });
});
