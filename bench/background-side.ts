// A process that writes audit records at a rate, seals them, and reads a row at fixed times, as a bearer check does. background-work.ts
// runs it. Arguments: a checkout of the version, the URL of an empty database, records per second, seconds, and whether to seal.
import { createHistogram } from 'node:perf_hooks';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { pino } from 'pino';
import type { auditInsertion } from '../src/auth/audit/trail/audit-store.ts';
import type { createSealer } from '../src/auth/audit/seals/seal-records.ts';
import { UNLIMITED } from '../src/platform/clock.ts';
import type { connectDatabase } from '../src/platform/db/connect.ts';
import { newId } from '../src/platform/db/ids.ts';
import type { migrate } from '../src/platform/db/migrate.ts';
import { readTurns } from './loop-delay.ts';

interface Version {
  readonly auditInsertion: typeof auditInsertion;
  readonly connectDatabase: typeof connectDatabase;
  readonly createSealer: typeof createSealer;
  readonly migrate: typeof migrate;
}

const [folder = '', url = '', perSecond = '', seconds = '', sealing = ''] = process.argv.slice(2);
const WARM_UP_MS = 3_000;
const TICKS_PER_SECOND = 200;
const ACCOUNTS = Array.from({ length: 200 }, newId);

const load = (path: string) => import(pathToFileURL(join(folder, path)).href) as Promise<object>;
const modules = [
  'auth/audit/trail/audit-store',
  'auth/audit/seals/seal-records',
  'platform/db/connect',
  'platform/db/migrate',
];
const version = Object.assign({}, ...(await Promise.all(modules.map((path) => load(`src/${path}.ts`))))) as Version;

const log = pino({ level: 'silent' });
const database = version.connectDatabase({ url, poolSize: 10, log });
await version.migrate(database, log);
const clock = Date.now;
const sealer = version.createSealer({ database, key: Buffer.alloc(32, 1), clock });
const job = sealing === 'true' ? sealer.start(log) : undefined;

const checks = createHistogram();
const writes = createHistogram();
const open = new Set<Promise<void>>();
let written = 0;
let lag = 0;

function track(work: Promise<unknown>, due: number, histogram: typeof checks): void {
  const tracked = work
    .then(() => histogram.record(Math.max(1, Math.round(1e3 * (performance.now() - due)))))
    .then(() => void open.delete(tracked));
  open.add(tracked);
}

const newRecord = () => ({
  id: newId(),
  tenantId: 'acme',
  at: clock(),
  event: 'client.token-issued',
  accountId: ACCOUNTS[written % ACCOUNTS.length]!,
  username: 'ann@example.com',
  clientAddress: '192.0.2.1',
  requestId: newId(),
  details: {},
});

const oldest = async () => {
  const [row] = await database.query<{ at: number | null }>(
    'SELECT MIN(at) AS at FROM audit_records WHERE sequence IS NULL',
  );
  return row!.at === null ? 0 : (clock() - row!.at) / 1_000;
};

const began = performance.now();
const end = began + WARM_UP_MS + 1_000 * Number(seconds);
let isWarm = false;
for (let tick = 0; performance.now() < end; tick += 1) {
  const due = began + (1_000 * tick) / TICKS_PER_SECOND;
  const early = due - performance.now();
  if (early > 0) await sleep(early);
  if (!isWarm && performance.now() > began + WARM_UP_MS) {
    isWarm = true;
    checks.reset();
    writes.reset();
    readTurns();
  }
  const count = Math.round((Number(perSecond) * (tick + 1)) / TICKS_PER_SECOND) - written;
  for (let index = 0; index < count; index += 1) {
    written += 1;
    track(database.insert(version.auditInsertion(newRecord()), UNLIMITED), due, writes);
  }
  track(database.query('SELECT status FROM tenants WHERE id = ?', [Buffer.from('acme')]), due, checks);
  if (tick % 50 === 0) void oldest().then((age) => (lag = Math.max(lag, age)));
}
const turns = readTurns();
await Promise.all(open);
const waiting = await database.query<{ count: number }>(
  'SELECT COUNT(*) AS count FROM audit_records WHERE sequence IS NULL',
);
await job?.stop();
const { user, system } = process.cpuUsage();
await database.close();
const latencyOf = (histogram: typeof checks) => ({
  p50: histogram.percentile(50) / 1e3,
  p99: histogram.percentile(99) / 1e3,
  max: histogram.max / 1e3,
});
const elapsed = (performance.now() - began) / 1_000;
process.stdout.write(
  `${JSON.stringify({
    written: written / elapsed,
    sealed: (written - waiting[0]!.count) / elapsed,
    lag,
    checks: latencyOf(checks),
    writes: latencyOf(writes),
    loop: turns,
    cpu: (user + system) / 1e4 / elapsed,
  })}\n`,
);
