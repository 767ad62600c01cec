// Logins with a second factor while the service is killed or the database is frozen: the factor, the challenge and the session change
// together, or not at all.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestDatabase, ENGINES, privateServer, SERVER_ENGINE } from '../support/databases.ts';
import { deploy, TRANSPORTS } from '../support/deployment.ts';
import { FACTOR_USERS, type FactorUser } from '../support/factor-users.ts';
import { loginTracesOf, seedChallenge } from '../support/login-challenges.ts';
import { PASSKEYS } from '../support/passkeys.ts';
import { restClient, type RestClient } from '../support/rest-client.ts';
import { ROUNDS } from '../support/rounds.ts';
import { endProcesses, SHOP_SETTINGS, startProgram } from '../support/service-process.ts';

/** The users of each method who log in at once. A TOTP serves one login only. */
const USERS = { totp: 20, 'recovery code': 5, passkey: 5 } as const;
const METHODS = Object.keys(USERS) as (keyof typeof USERS)[];
// A thawed server needs this long, and far less, to carry out what waits in its connections.
const SETTLE_MS = 1_000;
const REAL_TIME = { now: Date.now, advance: () => {} };

afterEach(endProcesses);

/** A user of a method with a challenge for each login. */
interface Person {
  readonly method: keyof typeof USERS;
  readonly user: FactorUser;
  readonly challenges: readonly string[];
}

function seedPeople(seeding: Parameters<typeof seedChallenge>[0], logins: number): Promise<Person[]> {
  const seed = async (method: keyof typeof USERS): Promise<Person> => {
    const user = await FACTOR_USERS[method](seeding);
    const challenges: string[] = [];
    while (challenges.length < Math.min(user.logins, logins))
      challenges.push(await seedChallenge(seeding, user.account));
    return { method, user, challenges };
  };
  return Promise.all(METHODS.flatMap((method) => Array.from({ length: USERS[method] }, () => seed(method))));
}

const answer = (rest: RestClient, challenge: string, proof: object) =>
  rest.postJson('/api/v1/auth/second-factor', { challenge, ...proof });

describe.each(ENGINES)('kill -9 under a load of logins with second factors, on %s', (engine) => {
  it(
    `leaves no session without its factor, and no used factor without its session, ${ROUNDS} times`,
    async () => {
      const { url, database, drop } = await createTestDatabase(engine);
      const seeding = { database, clock: REAL_TIME };
      let interrupted = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        const settings = { ...SHOP_SETTINGS, ...PASSKEYS, 'app.rpc.enabled': 'false', 'app.database.url': url };
        const service = startProgram('gateway', { settings });
        const rest = restClient((await service.ready()).http);
        const people = await seedPeople(seeding, Infinity);
        // Fewer than one for each person: most people still log in when the service is killed.
        let untilKill = Math.floor(Math.random() * people.length);
        const isDue = Promise.withResolvers<void>();
        const onLogin = () => void ((untilKill -= 1) < 0 && isDue.resolve());
        onLogin();
        const lives = people.map((person) => logInUntilOutage(rest, person, onLogin));
        await isDue.promise;
        await service.kill();
        const acknowledged = await Promise.all(lives);

        for (const [index, { method, user }] of people.entries()) {
          const { challenges, sessions } = await loginTracesOf(database, user.account);
          expect([method, await user.countUses(database), challenges]).toEqual([method, sessions, sessions]);
          // Only the response of the last one can be lost.
          expect(sessions - acknowledged[index]!).toBeOneOf([0, 1]);
          interrupted += Number(sessions < user.logins);
        }
      }
      expect(interrupted).toBeGreaterThan(0);
      await drop();
    },
    90_000 * ROUNDS,
  );

  /** Returns the number of acknowledged logins. */
  async function logInUntilOutage(
    rest: RestClient,
    { user, challenges }: Person,
    onLogin: () => void,
  ): Promise<number> {
    for (const [login, challenge] of challenges.entries()) {
      const proven = user.prove(rest, challenge, login).then((proof) => answer(rest, challenge, proof));
      const response = await proven.catch(() => undefined);
      if (response === undefined || response.status === 503) return login;
      expect(response.status).toBe(200);
      onLogin();
    }
    return challenges.length;
  }
});

describe.each(TRANSPORTS)('a frozen database server, over %s', (transport) => {
  it('completes no login of that time later, and the challenges stay open', async () => {
    const server = await privateServer();
    const deployment = await deploy({ engine: SERVER_ENGINE, transport, databaseUrl: server.url, settings: PASSKEYS });
    const { database } = deployment;
    try {
      const rest = restClient(deployment.url);
      const people = await seedPeople(deployment, 1);
      const proofs: object[] = [];
      for (const { user, challenges } of people) proofs.push(await user.prove(rest, challenges[0]!, 0));
      const logIn = () =>
        Promise.all(people.map(({ challenges }, index) => answer(rest, challenges[0]!, proofs[index]!)));
      await server.freeze();
      const refused = await logIn();
      expect(refused.map(({ status }) => status)).toEqual(people.map(() => 503));
      server.thaw();
      await sleep(SETTLE_MS);
      for (const { user } of people)
        expect([await user.countUses(database), await loginTracesOf(database, user.account)]).toEqual([
          0,
          { challenges: 0, sessions: 0 },
        ]);
      expect((await logIn()).map(({ status }) => status)).toEqual(people.map(() => 200));
    } finally {
      server.thaw();
      await deployment.close();
      await server.stop();
    }
  }, 60_000);
});
