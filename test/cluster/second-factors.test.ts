// Two services on two nodes of a Galera cluster: a code is valid once, and five wrong ones are evaluated, over both.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../src/auth/access/account.ts';
import { seedAccount } from '../support/accounts.ts';
import { untilServed } from '../support/at-once.ts';
import { ENGINES } from '../support/databases.ts';
import { deploy, type Deployment } from '../support/deployment.ts';
import { seedPasskeyOwner } from '../support/factor-users.ts';
import { seedTotp, wrongCode } from '../support/factors.ts';
import { loginTracesOf, seedChallenge } from '../support/login-challenges.ts';
import { onMysqlServer } from '../support/mysql-server.ts';
import { PASSKEYS } from '../support/passkeys.ts';
import { bearer, restClient, sessionOf, type RestClient } from '../support/rest-client.ts';
import { ROUNDS } from '../support/rounds.ts';
import { seedSession } from '../support/sessions.ts';
import { startGalera, type GaleraCluster } from './galera.ts';

const COUNT = 50;
const DATABASE = 'second_factors';

let cluster: GaleraCluster;
/** The services with the nodes 1 and 2 as their first host. */
let services: readonly Deployment[] = [];
let clients: readonly RestClient[];

beforeAll(async () => {
  cluster = await startGalera();
  await onMysqlServer(cluster.nodes[0]!.url, (connection) => connection.query(`CREATE DATABASE ${DATABASE}`));
  const [one, two, three] = cluster.nodes.map(({ url }) => new URL(url).host);
  const engine = ENGINES.at(-1)!;
  const urlOf = (hosts: readonly unknown[]) => `mysql://root@${hosts.join(',')}/${DATABASE}`;
  const first = await deploy({ engine, transport: 'local', databaseUrl: urlOf([one, two, three]), settings: PASSKEYS });
  const { clock } = first;
  const second = {
    engine,
    transport: 'grpc',
    databaseUrl: urlOf([two, three, one]),
    clock,
    settings: PASSKEYS,
  } as const;
  services = [first, await deploy(second)];
  clients = services.map(({ url }) => restClient(url));
});
afterAll(async () => {
  for (const service of services.toReversed()) await service.close();
  await cluster?.stop();
});

const database = () => services[0]!.database;

const ANSWER = '/api/v1/auth/second-factor';

async function challengesOf(account: Account, count = COUNT): Promise<string[]> {
  const challenges: string[] = [];
  while (challenges.length < count) challenges.push(await seedChallenge(services[0]!, account));
  return challenges;
}

/** Sends all bodies at once, at both services in turn. Returns the number of each outcome. */
async function sendAll(path: string, bodies: readonly object[]): Promise<Record<string, number>> {
  const responses = await Promise.all(
    bodies.map((body, index) => untilServed(() => clients[index % clients.length]!.postJson(path, body))),
  );
  const outcomes = Map.groupBy(responses, ({ status, body }) => (status === 200 ? '200' : body.errorCode));
  return Object.fromEntries([...outcomes].map(([outcome, all]) => [outcome, all.length]));
}

/** Answers as many challenges at once with the same proof. */
const answerAll = async (account: Account, proof: object) =>
  sendAll(
    ANSWER,
    (await challengesOf(account)).map((challenge) => ({ challenge, ...proof })),
  );

const ONE_LOGIN = { 200: 1, 'second-factor-invalid': 5, 'second-factor-locked': COUNT - 6 };

describe(`two services on two Galera nodes, ${ROUNDS} rounds`, () => {
  it.each(['totp', 'recoveryCode'])(`let one %s into one of ${COUNT} challenges`, async (proof) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { account, code, recoveryCodes } = await seedTotp(services[0]!);
      expect(await answerAll(account, { [proof]: proof === 'totp' ? code() : recoveryCodes[0] })).toEqual(ONE_LOGIN);
      const { sessions, challenges } = await loginTracesOf(database(), account);
      expect([sessions, challenges]).toEqual([1, 1]);
    }
  });

  it(`evaluate 5 of ${COUNT} wrong codes`, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const person = await seedTotp(services[0]!);
      expect(await answerAll(person.account, { totp: wrongCode(person) })).toEqual({
        'second-factor-invalid': 5,
        'second-factor-locked': COUNT - 5,
      });
    }
  });

  type PasskeyOwner = Awaited<ReturnType<typeof seedPasskeyOwner>>;

  /** The requests of a login by a passkey: each is sent as it is, many times at once. */
  const PASSKEY_LOGINS: Readonly<Record<string, (owner: PasskeyOwner) => Promise<{ path: string; body: object }>>> = {
    'as second factor': async ({ account, authenticator }) => {
      const [challenge] = await challengesOf(account, 1);
      const { options } = (await clients[0]!.postJson(`${ANSWER}/passkey-options`, { challenge })).body;
      return { path: ANSWER, body: { challenge, passkey: authenticator.get(options) } };
    },
    alone: async ({ authenticator }) => {
      const { challenge, options } = (await clients[0]!.postJson('/api/v1/auth/passkey/options', {})).body;
      return { path: '/api/v1/auth/passkey', body: { challenge, passkey: authenticator.get(options) } };
    },
  };

  it.each(Object.keys(PASSKEY_LOGINS))('accept a passkey %s once, however often it is sent', async (kind) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const owner = await seedPasskeyOwner(services[0]!);
      const { path, body } = await PASSKEY_LOGINS[kind]!(owner);
      const outcomes = await sendAll(
        path,
        Array.from({ length: COUNT }, () => body),
      );
      expect(outcomes).toEqual({ 200: 1, 'challenge-invalid': COUNT - 1 });
      expect((await loginTracesOf(database(), owner.account)).sessions).toBe(1);
    }
  });

  it('open no session of an account that the other one disables at the same time', async () => {
    const admin = await seedAccount(database(), { tenantId: 'acme', roles: ['ADMIN'] });
    const headers = bearer((await seedSession(services[0]!, admin)).accessToken);
    for (let round = 0; round < 2 * ROUNDS; round += 1) {
      const owner = await seedPasskeyOwner(services[0]!);
      const { path, body } = await PASSKEY_LOGINS['alone']!(owner);
      const change = async (state: 'enable' | 'disable') =>
        (await untilServed(() => clients[1]!.send('POST', `/api/v1/users/${owner.account.id}/${state}`, { headers })))
          .status;
      const [login, disabled] = await Promise.all([clients[0]!.postJson(path, body), change('disable')]);
      expect([200, 401, 503]).toContain(login.status);
      expect([disabled, await change('enable')]).toEqual([200, 200]);
      if (login.status === 200) expect((await clients[0]!.refresh(sessionOf(login).cookie)).status).toBe(401);
    }
  });

  it('let one of 10 copies of an authenticator in', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { account, authenticator } = await seedPasskeyOwner(services[0]!);
      const bodies = await Promise.all(
        (await challengesOf(account, 10)).map(async (challenge) => {
          const { options } = (await clients[0]!.postJson(`${ANSWER}/passkey-options`, { challenge })).body;
          return { challenge, passkey: authenticator.get(options, { counter: 7 }) };
        }),
      );
      expect(await sendAll(ANSWER, bodies)).toEqual({ 200: 1, 'second-factor-invalid': 9 });
    }
  });
});
