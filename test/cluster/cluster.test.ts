// Clients of two services on different nodes of a Galera cluster, while nodes and connections fail.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DependencyUnavailableError } from '../../src/platform/errors.ts';
import type { Account } from '../../src/auth/access/account.ts';
import { seedAccount } from '../support/accounts.ts';
import { testClock } from '../support/clock.ts';
import { ENGINES } from '../support/databases.ts';
import { deploy, type Deployment } from '../support/deployment.ts';
import { startMysqlProxy, type MysqlProxy } from '../support/mysql-proxy.ts';
import { onMysqlServer } from '../support/mysql-server.ts';
import { restClient, type RestClient } from '../support/rest-client.ts';
import { ROUNDS } from '../support/rounds.ts';
import type { Recording } from './client.ts';
import { startGalera, type GaleraCluster, type GaleraNode } from './galera.ts';
import { checkHistory } from './history.ts';
import { recordDuring, summaryOf } from './recording.ts';

const CLIENTS = 16;
const CALM_MS = 1_500;
const DATABASE = 'cluster';
const ROTATION = /UPDATE (session_families\s+SET generation|\()/;
const WRITES = /UPDATE (session_families|\()|SET SESSION autocommit = IF/;

/** Of both services: a service refuses tokens that another one has issued in its future. */
const CLOCK = testClock();

interface Service {
  readonly deployment: Deployment;
  readonly rest: RestClient;
  /** The service's way to each node, in its order of preference. */
  readonly proxies: readonly MysqlProxy[];
}

let cluster: GaleraCluster;
let services: readonly Service[];
let accounts: readonly Account[];

beforeAll(async () => {
  cluster = await startGalera();
  await onMysqlServer(cluster.nodes[0]!.url, (connection) => connection.query(`CREATE DATABASE ${DATABASE}`));
  const [one, two, three] = cluster.nodes as [GaleraNode, GaleraNode, GaleraNode];
  services = [await startService([one, two, three]), await startService([two, three, one])];
  const { database } = services[0]!.deployment;
  accounts = [];
  for (let index = 0; index < CLIENTS; index += 1) accounts = [...accounts, await seedAccount(database)];
});
afterAll(async () => {
  for (const service of services ?? []) {
    await service.deployment.close();
    await Promise.all(service.proxies.map((proxy) => proxy.close()));
  }
  await cluster?.stop();
});

async function startService(nodes: readonly GaleraNode[]): Promise<Service> {
  const proxies = await Promise.all(nodes.map(({ url }) => startMysqlProxy(url)));
  const hosts = proxies.map(({ url }) => new URL(url).host).join(',');
  const databaseUrl = `mysql://root@${hosts}/${DATABASE}`;
  const settings = { 'app.security.sessions-per-account': '1000' };
  const deployment = await deploy({
    engine: ENGINES.at(-1)!,
    transport: 'local',
    databaseUrl,
    settings,
    clock: CLOCK,
  });
  return { deployment, rest: restClient(deployment.url), proxies };
}

interface Scene {
  /** The first choice of the service. */
  readonly node: GaleraNode;
  readonly service: Service;
}

interface Fault {
  readonly name: string;
  readonly lastsMs: number;
  begin(scene: Scene): Promise<void> | void;
  end(scene: Scene): Promise<void> | void;
}

const FAULTS: readonly Fault[] = [
  { name: 'a node is killed', lastsMs: 2_000, begin: ({ node }) => node.kill(), end: ({ node }) => node.restart() },
  {
    name: 'a node is frozen for long',
    lastsMs: 9_000,
    begin: ({ node }) => node.freeze(),
    end: ({ node }) => node.thaw(),
  },
  {
    name: 'a node is frozen shortly',
    lastsMs: 3_500,
    begin: ({ node }) => node.freeze(),
    end: ({ node }) => node.thaw(),
  },
  { name: 'a node is cut off', lastsMs: 8_000, begin: ({ node }) => node.isolate(), end: ({ node }) => node.rejoin() },
  {
    name: 'a service is cut off from one node, then from another',
    lastsMs: 3_000,
    async begin({ service: { proxies } }) {
      proxies[0]!.freeze();
      await sleep(3_000);
      proxies[1]!.freeze();
      proxies[0]!.restore();
    },
    end: ({ service: { proxies } }) => proxies[1]!.restore(),
  },
  {
    name: 'a service loses answers',
    lastsMs: 0,
    async begin({ service: { proxies } }) {
      for (const until = performance.now() + 4_000; performance.now() < until;)
        await Promise.race([sleep(200), ...proxies.map((proxy) => proxy.loseResponse(WRITES))]);
    },
    end: () => {},
  },
  {
    name: 'a service loses a response and its way to all nodes',
    lastsMs: 9_000,
    async begin({ service: { proxies } }) {
      const [first, ...others] = proxies;
      for (const proxy of others) proxy.freeze();
      await first!.loseResponse(ROTATION, { isLast: true });
    },
    end: ({ service: { proxies } }) => proxies.forEach((proxy) => proxy.restore()),
  },
];

/** Deletes what logouts have written. A write of a service on the same rows may come first. */
async function undoLogouts(): Promise<void> {
  const { database } = services[0]!.deployment;
  for (const sql of ['DELETE FROM token_blacklist', 'UPDATE session_families SET revoked_at = NULL'])
    await database.execute(sql).catch((error: unknown) => {
      if (!(error instanceof DependencyUnavailableError)) throw error;
    });
}

const LOGOUT_RULE = 'an acknowledged logout is not undone';
const rulesBroken = (recording: Recording) => checkHistory(recording).map(({ rule }) => rule);

/** By default each fault once, and at night three times, for the nodes of both services. */
const RUNS = Number(process.env['CLUSTER_RUNS'] ?? Math.min(ROUNDS, 3) * FAULTS.length);

describe('two services on three Galera nodes', () => {
  it.each(Array.from({ length: RUNS }, (_, run) => ({ run: run + 1, fault: FAULTS[run % FAULTS.length]! })))(
    'keep all promises in history $run: $fault.name',
    async ({ run, fault }) => {
      // Each fault meets the node of the other service in the next round.
      const index = Math.floor(run / FAULTS.length) % services.length;
      const scene = { service: services[index]!, node: cluster.nodes[index]! };
      const recording = await recordDuring(services, accounts, async () => {
        await sleep(CALM_MS);
        await fault.begin(scene);
        await sleep(fault.lastsMs);
        await fault.end(scene);
        await cluster.healed();
        await sleep(CALM_MS);
      });
      console.log(`History ${run}, ${fault.name}: ${summaryOf(recording)}`);
      expect(checkHistory(recording)).toEqual([]);
    },
  );

  it('are found out if a logout is undone', async () => {
    const recording = await recordDuring(services, accounts, async (soFar) => {
      const giveUpAt = performance.now() + 20_000;
      while (performance.now() < giveUpAt) {
        await undoLogouts();
        if (rulesBroken(soFar).includes(LOGOUT_RULE)) return;
        await sleep(20);
      }
    });
    expect(rulesBroken(recording)).toContain(LOGOUT_RULE);
  });
});
