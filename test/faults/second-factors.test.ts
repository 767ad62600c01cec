// Logins with a second factor while the service is killed or the database is frozen: the factor, the challenge and the session change
// together, or not at all.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestDatabase, ENGINES, privateServer, SERVER_ENGINE } from '../support/databases.ts';
import { deploy, TRANSPORTS } from '../support/deployment.ts';
import { seedTotp, type TotpOwner } from '../support/factors.ts';
import { loginTracesOf, seedChallenge } from '../support/login-challenges.ts';
import { restClient, type RestClient } from '../support/rest-client.ts';
import { endProcesses, SHOP_SETTINGS, startProgram } from '../support/service-process.ts';

const ROUNDS = 3;
const CLIENTS = 10;
const CODES = 10;
const LONGEST_LIFE_MS = 300;
// A thawed server needs this long, and far less, to carry out what waits in its connections.
const SETTLE_MS = 1_000;
const REAL_TIME = { now: Date.now, advance: () => {} };

afterEach(endProcesses);

const answer = (rest: RestClient, challenge: string, recoveryCode: string) =>
  rest.postJson('/api/v1/auth/second-factor', { challenge, recoveryCode });

describe.each(ENGINES)('kill -9 under a load of logins with recovery codes, on %s', (engine) => {
  it(`leaves no session without its code, and no used code without its session, ${ROUNDS} times`, async () => {
    const { url, database, drop } = await createTestDatabase(engine);
    const seeding = { database, clock: REAL_TIME };
    let interrupted = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const settings = { ...SHOP_SETTINGS, 'app.rpc.enabled': 'false', 'app.database.url': url };
      const service = startProgram('gateway', { settings });
      const rest = restClient((await service.ready()).http);
      const people = await Promise.all(Array.from({ length: CLIENTS }, () => prepare()));
      const lives = people.map((person) => logInUntilOutage(rest, person));
      await sleep(Math.random() * LONGEST_LIFE_MS);
      await service.kill();
      const acknowledged = await Promise.all(lives);

      for (const [index, { owner }] of people.entries()) {
        const { codes, challenges, sessions } = await loginTracesOf(database, owner.account);
        expect([codes, challenges]).toEqual([sessions, sessions]);
        // Only the response of the last one can be lost.
        expect(sessions - acknowledged[index]!).toBeOneOf([0, 1]);
        interrupted += Number(sessions < CODES);
      }
    }
    expect(interrupted).toBeGreaterThan(0);
    await drop();

    async function prepare() {
      const owner = await seedTotp(seeding);
      const challenges: string[] = [];
      for (let index = 0; index < CODES; index += 1) challenges.push(await seedChallenge(seeding, owner.account));
      return { owner, challenges };
    }
  }, 90_000);

  /** Returns the number of acknowledged logins. */
  async function logInUntilOutage(
    rest: RestClient,
    { owner, challenges }: { readonly owner: TotpOwner; readonly challenges: readonly string[] },
  ): Promise<number> {
    for (const [index, challenge] of challenges.entries()) {
      const response = await answer(rest, challenge, owner.recoveryCodes[index]!).catch(() => undefined);
      if (response === undefined || response.status === 503) return index;
      expect(response.status).toBe(200);
    }
    return challenges.length;
  }
});

describe.each(TRANSPORTS)('a frozen database server, over %s', (transport) => {
  it('completes no login of that time later, and the challenges stay open', async () => {
    const server = await privateServer();
    const deployment = await deploy({ engine: SERVER_ENGINE, transport, databaseUrl: server.url });
    const { database } = deployment;
    try {
      const rest = restClient(deployment.url);
      const people = await Promise.all(
        Array.from({ length: CLIENTS }, async () => {
          const owner = await seedTotp(deployment);
          return { owner, challenge: await seedChallenge(deployment, owner.account) };
        }),
      );
      const logIn = () =>
        Promise.all(people.map(({ owner, challenge }) => answer(rest, challenge, owner.recoveryCodes[0]!)));
      await server.freeze();
      const refused = await logIn();
      expect(refused.map(({ status }) => status)).toEqual(people.map(() => 503));
      server.thaw();
      await sleep(SETTLE_MS);
      for (const { owner } of people)
        expect(await loginTracesOf(database, owner.account)).toEqual({ codes: 0, challenges: 0, sessions: 0 });
      expect((await logIn()).map(({ status }) => status)).toEqual(people.map(() => 200));
    } finally {
      server.thaw();
      await deployment.close();
      await server.stop();
    }
  }, 60_000);
});
