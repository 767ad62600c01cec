// kill -9 of the service at any time: acknowledged changes persist after the restart.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { seedAccount } from '../support/accounts.ts';
import { createTestDatabase, ENGINES } from '../support/databases.ts';
import { restClient } from '../support/rest-client.ts';
import { ROUNDS } from '../support/rounds.ts';
import { seedSession } from '../support/sessions.ts';
import { endProcesses, SHOP_SETTINGS, startProgram } from '../support/service-process.ts';
import { liveUntilOutage, verifySurvivors, type Survivor } from '../support/survivors.ts';

const CLIENTS = 40;
const REAL_TIME = { now: Date.now, advance: () => {} };

afterEach(endProcesses);

describe.each(ENGINES)('kill -9 under a load of refreshes and logouts, on %s', (engine) => {
  it(
    `keeps every session as acknowledged, ended or not, ${ROUNDS} times`,
    async () => {
      const { url, database, drop } = await createTestDatabase(engine);
      const account = await seedAccount(database);
      const start = () =>
        startProgram('gateway', {
          settings: { ...SHOP_SETTINGS, 'app.rpc.enabled': 'false', 'app.database.url': url },
        });
      const ended: Survivor[] = [];
      let service = start();
      for (let round = 0; round < ROUNDS; round += 1) {
        const before = restClient((await service.ready()).http);
        const sessions = [];
        for (let i = 0; i < CLIENTS; i += 1) sessions.push(await seedSession({ database, clock: REAL_TIME }, account));
        const over = new AbortController();
        const [leaving, ...staying] = sessions;
        const lives = staying.map((session) => liveUntilOutage(before, session, over.signal));
        expect((await before.logout(leaving)).status).toBe(200);
        await sleep(50 + Math.random() * 250);
        over.abort();
        await service.kill();
        const survivors = [{ ...leaving!, loggedOut: true, unanswered: undefined }, ...(await Promise.all(lives))];

        service = start();
        const after = restClient((await service.ready()).http);
        await verifySurvivors(after, database, survivors);
        ended.push(...survivors.filter(({ loggedOut }) => loggedOut));
      }
      expect(ended.length).toBeGreaterThanOrEqual(ROUNDS);
      const last = restClient((await service.ready()).http);
      for (const { accessToken, cookie } of ended) {
        expect((await last.me(accessToken)).status).toBe(401);
        expect((await last.refresh(cookie)).status).toBe(401);
      }
      await service.kill();
      await drop();
    },
    90_000 * ROUNDS,
  );
});
