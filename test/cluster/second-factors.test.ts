// Two services on two nodes of a Galera cluster: a code is valid once, and five wrong ones are evaluated, over both.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../src/auth/principal/account.ts';
import { untilServed } from '../support/at-once.ts';
import { ENGINES } from '../support/databases.ts';
import { deploy, type Deployment } from '../support/deployment.ts';
import { seedTotp, wrongCode } from '../support/factors.ts';
import { loginTracesOf, seedChallenge } from '../support/login-challenges.ts';
import { onMysqlServer } from '../support/mysql-server.ts';
import { restClient, type RestClient } from '../support/rest-client.ts';
import { startGalera, type GaleraCluster } from './galera.ts';

const ROUNDS = 10;
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
  const first = await deploy({ engine, transport: 'local', databaseUrl: urlOf([one, two, three]) });
  const { clock } = first;
  services = [first, await deploy({ engine, transport: 'grpc', databaseUrl: urlOf([two, three, one]), clock })];
  clients = services.map(({ url }) => restClient(url));
});
afterAll(async () => {
  for (const service of services.toReversed()) await service.close();
  await cluster?.stop();
});

const database = () => services[0]!.database;

/** Creates challenges, and answers all of them at once, at both services in turn. Returns the number of each outcome. */
async function answerAll(account: Account, proof: object): Promise<Record<string, number>> {
  const challenges: string[] = [];
  for (let index = 0; index < COUNT; index += 1) challenges.push(await seedChallenge(services[0]!, account));
  const responses = await Promise.all(
    challenges.map((challenge, index) =>
      untilServed(() =>
        clients[index % clients.length]!.postJson('/api/v1/auth/second-factor', { challenge, ...proof }),
      ),
    ),
  );
  const outcomes = Map.groupBy(responses, ({ status, body }) => (status === 200 ? '200' : body.errorCode));
  return Object.fromEntries([...outcomes].map(([outcome, all]) => [outcome, all.length]));
}

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
});
