// Readers of audit records and a webhook on a MySQL replication group while its primary and services fail: each record exactly once, in
// one order. AUDIT_HISTORIES is the number of runs, by default 1.
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectDatabase } from '../../src/platform/db/connect.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { checkAuditHistory, summaryOf } from '../support/audit-history/history.ts';
import { runAuditHistory } from '../support/audit-history/run.ts';
import { SERVICE_FAULTS, startHistoryService, type HistoryService } from '../support/audit-history/services.ts';
import { onMysqlServer } from '../support/mysql-server.ts';
import { endProcesses } from '../support/service-process.ts';
import { startMysqlGroup, type MysqlGroup } from './mysql-group.ts';

const RUNS = Number(process.env['AUDIT_HISTORIES'] ?? 1);
const DATABASE = 'audit_history';
const HISTORY_LIMIT_MS = 300_000;

let group: MysqlGroup;
let services: readonly HistoryService[];
let database: Database;

beforeAll(async () => {
  group = await startMysqlGroup();
  await onMysqlServer((await group.primary()).url, (connection) => connection.query(`CREATE DATABASE ${DATABASE}`));
  const urlFrom = (first: number) => {
    const members = [...group.members.slice(first), ...group.members.slice(0, first)];
    return `mysql://root@${members.map(({ url }) => new URL(url).host).join(',')}/${DATABASE}`;
  };
  services = [await startHistoryService(urlFrom(0)), await startHistoryService(urlFrom(1))];
  database = connectDatabase({ url: urlFrom(2), poolSize: 10, log: pino({ level: 'silent' }) });
});
afterAll(async () => {
  await endProcesses();
  await database?.close();
  await group?.stop();
});

/** Faults of the primary. */
const FAULTS: readonly (() => Promise<void>)[] = [
  async () => {
    const primary = await group.primary();
    await primary.kill();
    await replaced(primary);
    await primary.restart();
  },
  async () => {
    const primary = await group.primary();
    await primary.freeze();
    await replaced(primary);
    await sleep(2_000);
    primary.thaw();
  },
  async () => group.replacePrimary(await group.primary()),
];

async function replaced(primary: Awaited<ReturnType<MysqlGroup['primary']>>): Promise<void> {
  await expect.poll(() => group.primary(), { timeout: 60_000, interval: 200 }).not.toBe(primary);
}

it(
  `readers and the webhook get each record exactly once on a replication group, ${RUNS} times`,
  async () => {
    for (let run = 0; run < RUNS; run += 1) {
      const service = services[run % services.length]!;
      const history = await runAuditHistory({
        database,
        services,
        async faults() {
          for (const fault of [...FAULTS, ...Object.values(SERVICE_FAULTS)]) {
            await fault(service);
            await group.healed();
          }
        },
      });
      console.log(`group, run ${run + 1}: ${summaryOf(history)}`);
      expect(checkAuditHistory(history)).toEqual([]);
    }
  },
  RUNS * HISTORY_LIMIT_MS,
);
