// Readers of audit records and a webhook on a Galera cluster while nodes and services fail: each record exactly once, in one order.
// AUDIT_HISTORIES is the number of runs, by default 1.
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { checkAuditHistory, summaryOf } from '../support/audit-history/history.ts';
import { runAuditHistory } from '../support/audit-history/run.ts';
import {
  DATABASE_FAULTS,
  SERVICE_FAULTS,
  startHistoryService,
  type AuditFault,
  type HistoryService,
} from '../support/audit-history/services.ts';
import { startMysqlProxy } from '../support/mysql-proxy.ts';
import { onMysqlServer } from '../support/mysql-server.ts';
import { endProcesses } from '../support/service-process.ts';
import { startGalera, type GaleraCluster, type GaleraNode } from './galera.ts';

const RUNS = Number(process.env['AUDIT_HISTORIES'] ?? 1);
const DATABASE = 'audit_history';
/** Longer than the cluster needs to exclude a node. */
const AWAY_MS = 8_000;
const HISTORY_LIMIT_MS = 300_000;

let cluster: GaleraCluster;
let services: readonly HistoryService[];
let database: Database;

const urlOf = (urls: readonly string[]) => `mysql://root@${urls.map((url) => new URL(url).host).join(',')}/${DATABASE}`;

beforeAll(async () => {
  cluster = await startGalera();
  await onMysqlServer(cluster.nodes[0]!.url, (connection) => connection.query(`CREATE DATABASE ${DATABASE}`));
  const [one, two, three] = cluster.nodes as [GaleraNode, GaleraNode, GaleraNode];
  const start = async (nodes: readonly GaleraNode[]) => {
    const proxies = await Promise.all(nodes.map(({ url }) => startMysqlProxy(url)));
    return startHistoryService(urlOf(proxies.map(({ url }) => url)), proxies);
  };
  services = [await start([one, two, three]), await start([two, three, one])];
  const url = urlOf([three, one, two].map((node) => node.url));
  database = connectDatabase({ url, poolSize: 10, log: pino({ level: 'silent' }) });
});
afterAll(async () => {
  await endProcesses();
  await Promise.all((services ?? []).flatMap(({ proxies }) => proxies.map((proxy) => proxy.close())));
  await database?.close();
  await cluster?.stop();
});

/** Faults of the node that a service prefers. */
const faultsOf = (node: GaleraNode): Readonly<Record<string, AuditFault>> => ({
  async 'a node is killed'() {
    await node.kill();
    await sleep(2_000);
    await node.restart();
  },
  async 'a node is frozen'() {
    await node.freeze();
    await sleep(AWAY_MS);
    node.thaw();
  },
  async 'a node is cut off'() {
    await node.isolate();
    await sleep(AWAY_MS);
    await node.rejoin();
  },
  ...SERVICE_FAULTS,
  ...DATABASE_FAULTS,
});

it(
  `readers and the webhook get each record exactly once on three Galera nodes, ${RUNS} times`,
  async () => {
    for (let run = 0; run < RUNS; run += 1) {
      const index = run % services.length;
      const history = await runAuditHistory({
        database,
        services,
        async faults() {
          for (const fault of Object.values(faultsOf(cluster.nodes[index]!))) {
            await fault(services[index]!);
            await cluster.healed();
          }
        },
      });
      console.log(`Galera, run ${run + 1}: ${summaryOf(history)}`);
      expect(checkAuditHistory(history)).toEqual([]);
    }
  },
  RUNS * HISTORY_LIMIT_MS,
);
