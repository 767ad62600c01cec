// kill -9 of a process at the token endpoint, also between the commit and the answer: a client gets again what it has lost, and no code
// is good twice. Another process on the same database goes on.
import { afterEach, describe, expect, it } from 'vitest';
import { rememberPasswords } from '../support/argon2.ts';
import { createTestDatabase, ENGINES, SERVER_ENGINE } from '../support/databases.ts';
import { startMysqlProxy } from '../support/mysql-proxy.ts';
import { expectTokenError, partyOf, type Authorized, type Party } from '../support/oauth/party.ts';
import type { Browser, Client } from '../support/oauth/provider.ts';
import { ISSUER, openService, signedIn, type Service, type ServiceUser } from '../support/oauth/service.ts';
import { restClient, type RestResponse } from '../support/rest-client.ts';
import { ROUNDS } from '../support/rounds.ts';
import { endProcesses, SHOP_SETTINGS, startProgram, type ServiceProcess } from '../support/service-process.ts';

rememberPasswords();
afterEach(endProcesses);

const TYPES = ['WEB', 'SPA'] as const;
const CLIENTS = 12;
const REFRESHES = 4;
const REAL_TIME = { now: Date.now, advance: () => {} };

/** Starts a process that is to be killed. */
const start = (url: string): ServiceProcess =>
  startProgram('gateway', {
    settings: { ...SHOP_SETTINGS, 'app.public-url': ISSUER, 'app.rpc.enabled': 'false', 'app.database.url': url },
  });

/** Returns a client as it talks to a process. */
async function at(victim: ServiceProcess, survivor: Service, client: Client): Promise<Party> {
  const { send } = restClient((await victim.ready()).http);
  const { origin } = new URL(ISSUER);
  return partyOf(
    { ...survivor, send: (method, url, init) => send(method, url.slice(origin.length), init ?? {}) },
    client,
  );
}

/** Returns undefined if there was no answer, or a 503. */
async function answered(call: Promise<RestResponse>): Promise<RestResponse | undefined> {
  const response = await call.catch(() => undefined);
  return response?.status === 503 ? undefined : response;
}

interface Person {
  readonly client: Client;
  readonly user: ServiceUser;
  readonly browser: Browser;
}

async function people(survivor: Service, count: number): Promise<Person[]> {
  const parties = await Promise.all(TYPES.map((type) => survivor.party({ type, firstParty: true })));
  const all: Person[] = [];
  for (let index = 0; index < count; index += 1) {
    const user = await survivor.user();
    all.push({ client: parties[index % parties.length]!.client, user, browser: await signedIn(survivor, user) });
  }
  return all;
}

/** What a client has when the process is dead. */
interface Survivor extends Person {
  readonly authorized: Authorized;
  /** Undefined if the code was not answered. */
  readonly refreshToken: string | undefined;
}

/** Expects that a client can go on at another process, and that its code was good once. */
async function verify(survivor: Service, { client, user, browser, authorized, refreshToken }: Survivor) {
  const party = partyOf(survivor, client);
  let last = refreshToken;
  if (last === undefined) {
    // Whether the code was used is unknown.
    const again = await party.redeem(authorized);
    if (again.status === 200) last = again.body.refresh_token as string;
    else expectTokenError(again, 'invalid_grant');
  }
  if (last !== undefined) {
    const next = await party.tokensOf(await party.refresh(last));
    expect((await party.userinfo(next.accessToken)).status).toBe(200);
    expectTokenError(await party.redeem(authorized), 'invalid_grant');
    expect((await party.userinfo(next.accessToken)).status).toBe(401);
    expectTokenError(await party.refresh(next.refreshToken), 'invalid_grant');
  }
  const grants = await survivor.deployment.database.query(
    'SELECT id FROM grants WHERE account_id = ? AND revoked_at IS NULL',
    [Buffer.from(user.sub.replaceAll('-', ''), 'hex')],
  );
  expect(grants).toEqual([]);
  await party.logIn(browser, user);
}

describe.each(ENGINES)('kill -9 under a load of codes and refreshes, on %s', (engine) => {
  it(
    `loses nothing that a client does not get again, ${ROUNDS} times`,
    async () => {
      const own = await createTestDatabase(engine);
      const survivor = await openService({ engine, transport: 'local', databaseUrl: own.url, clock: REAL_TIME });
      for (let round = 0; round < ROUNDS; round += 1) {
        const victim = start(own.url);
        const all = await people(survivor, CLIENTS);
        // It can be killed at once.
        await victim.ready();
        let untilKill = Math.floor(Math.random() * CLIENTS * REFRESHES);
        const isDue = Promise.withResolvers<void>();
        const onAnswer = () => void ((untilKill -= 1) < 0 && isDue.resolve());
        onAnswer();
        const lives = all.map(async (person): Promise<Survivor> => {
          const party = await at(victim, survivor, person.client);
          const authorized = await partyOf(survivor, person.client).signIn(person.browser, person.user);
          let response = await answered(party.redeem(authorized));
          let refreshToken: string | undefined;
          for (let uses = 0; response !== undefined && uses < REFRESHES; uses += 1) {
            ({ refreshToken } = await partyOf(survivor, person.client).tokensOf(response));
            onAnswer();
            response = await answered(party.refresh(refreshToken));
          }
          return { ...person, authorized, refreshToken };
        });
        await Promise.race([isDue.promise, Promise.all(lives)]);
        await victim.kill();
        for (const life of lives) await verify(survivor, await life);
      }
      await survivor.close();
      await own.drop();
    },
    120_000 * ROUNDS,
  );
});

describe(`kill -9 between the commit and the answer, on ${SERVER_ENGINE}`, () => {
  it('the code is used, and its client asks for another one; the refresh token gets its successor again', async () => {
    const own = await createTestDatabase(SERVER_ENGINE);
    const proxy = await startMysqlProxy(own.url);
    const survivor = await openService({
      engine: SERVER_ENGINE,
      transport: 'local',
      databaseUrl: own.url,
      clock: REAL_TIME,
    });

    for (const lost of ['code', 'refresh'] as const)
      for (const person of await people(survivor, TYPES.length)) {
        const victim = start(proxy.url);
        const party = await at(victim, survivor, person.client);
        const authorized = await partyOf(survivor, person.client).signIn(person.browser, person.user);
        const first = lost === 'code' ? undefined : (await party.redeem(authorized)).body.refresh_token;
        const pattern = lost === 'code' ? /INSERT INTO grants/ : /UPDATE grants SET/;
        const isLost = proxy.loseResponse(pattern, { isLast: true, commitOf: true });
        const unanswered = answered(lost === 'code' ? party.redeem(authorized) : party.refresh(first));
        await isLost;
        await victim.kill();
        expect(await unanswered).toBeUndefined();
        proxy.restore();
        const [row] = await survivor.deployment.database.query<{ used: number; generation: number }>(
          `SELECT generation, (SELECT COUNT(*) FROM authorization_codes c WHERE c.grant_id = g.id AND c.used_at > 0) AS used
               FROM grants g ORDER BY created_at DESC LIMIT 1`,
        );
        expect(row).toEqual({ used: 1, generation: lost === 'refresh' && person.client.type === 'SPA' ? 2 : 1 });
        await verify(survivor, { ...person, authorized, refreshToken: first });
      }
    await survivor.close();
    await proxy.close();
    await own.drop();
  }, 240_000);
});
