// Measures `audit verify` and `audit export` of a long audit trail: `npm run bench -- audit-trail`. Nine of ten records belong to one
// tenant, the others to 1,000. Options: --records 10000000, --engine sqlite|mariadb, and --url URL for a database that stays: it is filled
// up to that number of records only once.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { insertAuditRecords, type NewAuditRecord } from '../src/auth/audit/trail/audit-store.ts';
import { sealBatch } from '../src/auth/audit/seals/seal-records.ts';
import { lastSequence } from '../src/auth/audit/seals/seal-store.ts';
import { createKeyEncryption } from '../src/auth/keys/key-encryption.ts';
import { loadSealKey } from '../src/composition/audit-trail.ts';
import { UNLIMITED } from '../src/platform/clock.ts';
import { connectDatabase } from '../src/platform/db/connect.ts';
import { newId } from '../src/platform/db/ids.ts';
import { migrate } from '../src/platform/db/migrate.ts';
import { backgroundOf } from '../src/platform/jobs/background.ts';
import { createBatchSize } from '../src/platform/jobs/batch-size.ts';
import { startMariaDb } from './mariadb.ts';
import { cpuSeconds, SEARCH_PATH } from './program.ts';

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '10000000' },
    engine: { type: 'string', default: 'sqlite' },
    url: { type: 'string' },
  },
});
const RECORDS = Number(values.records);
/** The batches of the job on a database server. */
const BATCH_SIZE = 500;
const TENANTS = 1_000;
const ACCOUNTS = Array.from({ length: 10_000 }, newId);
/** A later run opens the same database. */
const KEY_ENCRYPTION_KEY = Buffer.alloc(32, 1);
const CLI = fileURLToPath(new URL('../cli/authservice', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'audit-trail-'));
const isPrivate = values.url === undefined && values.engine === 'mariadb';
const server = isPrivate ? await startMariaDb('0,1', ['--innodb-buffer-pool-size=1G']) : undefined;
const url = values.url ?? server?.url ?? `sqlite:${join(folder, 'trail.db')}`;
try {
  const fillSeconds = await fill();
  const verify = await measure(['audit', 'verify', '--json']);
  const file = join(folder, 'export.jsonl');
  const exported = await measure(['audit', 'export', file, '--local', '--json']);
  const megabytes = Math.round(statSync(file).size / 1e6);
  console.log(JSON.stringify({ fillSeconds, verify, export: { ...exported, megabytes } }, undefined, 2));
} finally {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** Inserts and seals records as the service does. Returns the seconds that it took. */
async function fill(): Promise<number> {
  const began = performance.now();
  const log = pino({ level: 'warn' });
  const database = connectDatabase({ url, poolSize: 2, log });
  await migrate(database, log);
  const key = await loadSealKey({ database, clock: Date.now, encryption: createKeyEncryption(KEY_ENCRYPTION_KEY) });
  const size = createBatchSize({ min: BATCH_SIZE, max: BATCH_SIZE });
  for (let count = await lastSequence(database, database, 'new'); count < RECORDS; count += BATCH_SIZE) {
    const records = Array.from({ length: BATCH_SIZE }, (_, index) => recordOf(count + index));
    await database.transaction(UNLIMITED, (tx) => insertAuditRecords(tx, records));
    await sealBatch({ database: backgroundOf(database), key, clock: Date.now }, { kind: 'new' }, size);
    if (count % 500_000 === 0) process.stderr.write(`${count} records after ${secondsSince(began)} s\n`);
  }
  await database.close();
  return secondsSince(began);
}

function recordOf(index: number): NewAuditRecord {
  return {
    id: newId(),
    tenantId: index % 10 === 0 ? `t${(index / 10) % TENANTS}` : 'long',
    at: Date.now(),
    event: 'login.succeeded',
    accountId: ACCOUNTS[index % ACCOUNTS.length],
    username: `user-${index}@example.com`,
    clientAddress: '192.0.2.1',
    requestId: newId(),
    details: { method: 'pwd' },
  };
}

/** Runs a command of the command line. Returns its duration, the greatest resident memory, and its output. */
async function measure(args: readonly string[]) {
  const began = performance.now();
  const env = {
    PATH: SEARCH_PATH,
    APP_NAME: 'bench',
    APP_DATABASE_URL: url,
    APP_SECURITY_KEY_ENCRYPTION_KEY: KEY_ENCRYPTION_KEY.toString('base64'),
  };
  const command = spawn(CLI, args, { env, cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = new Promise((resolve) => command.once('exit', resolve));
  let output = '';
  command.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  let used = { peakRssMb: 0, cpuSeconds: 0 };
  const timer = setInterval(() => (used = usedBy(command.pid!) ?? used), 100);
  const code = await exited;
  clearInterval(timer);
  return { code, seconds: secondsSince(began), ...used, output: JSON.parse(output) as unknown };
}

function usedBy(pid: number) {
  try {
    const [, peakKb] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!;
    return { peakRssMb: Math.round(Number(peakKb) / 1024), cpuSeconds: Math.round(cpuSeconds(pid)) };
  } catch {
    // It has ended.
    return undefined;
  }
}

function secondsSince(began: number): number {
  return Math.round((performance.now() - began) / 1000);
}
