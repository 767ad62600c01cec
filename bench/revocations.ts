// Measures the revocation feed: `npm run bench -- revocations`. 100,000 sessions end in an hour (28 each second), and 50 listeners
// follow. Two minutes of that hour are measured. What the 15 minutes before them have left is put into the table first.
// With --rows-per-second, rows of as many revocations are written instead, as other processes write them: what the feed can follow.
// Options: --engine sqlite|mariadb, --listeners 50, --per-hour 100000, --seconds 120, --rows-per-second 0.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { connectDatabase } from '../src/platform/db/connect.ts';
import { newId } from '../src/platform/db/ids.ts';
import type { Database } from '../src/platform/db/types.ts';
import { startMariaDb } from './mariadb.ts';
import { seedSessions } from './seed.ts';
import { startService } from './service.ts';

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    listeners: { type: 'string', default: '50' },
    'per-hour': { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '120' },
    'rows-per-second': { type: 'string', default: '0' },
  },
});
const LISTENERS = Number(values.listeners);
const PER_SECOND = Number(values['per-hour']) / 3_600;
const SECONDS = Number(values.seconds);
const ROWS_PER_SECOND = Number(values['rows-per-second']);
const WRITES_PER_SECOND = 20;
const TTL_SECONDS = 900;
const PASSWORD = randomBytes(24).toString('base64url');

let root: Promise<string> | undefined;
const folder = mkdtempSync(join(tmpdir(), 'revocations-'));
const mariadb = values.engine === 'mariadb' ? await startMariaDb(1) : undefined;
const databaseUrl = mariadb?.url ?? `sqlite:${join(folder, 'bench.db')}`;
const bootstrap = join(folder, 'bootstrap.yaml');
writeFileSync(bootstrap, `superAdmins: [{username: root, password: ${PASSWORD}}]\n`, { mode: 0o600 });
const service = await startService({ core: 0, databaseUrl, settings: { 'app.bootstrap.file': bootstrap } });
const database: Database = connectDatabase({ url: databaseUrl, poolSize: 2, log: pino({ level: 'silent' }) });
try {
  await putRevocations(Math.round(PER_SECOND * TTL_SECONDS));
  const tokens = ROWS_PER_SECOND > 0 ? [] : await seedTokens();
  await logOut(tokens.splice(0, Math.round(PER_SECOND * 10)), () => {});
  const some = () => tokens.splice(0, Math.round(PER_SECOND * SECONDS));

  const without = ROWS_PER_SECOND > 0 ? undefined : await cpuPercentOf(() => logOut(some(), () => {}));
  const began = performance.now();
  const cpuBefore = cpuMs();
  const listeners = await Promise.all(Array.from({ length: LISTENERS }, listen));
  const snapshotMs = performance.now() - began;
  const snapshotCpuMs = cpuMs() - cpuBefore;
  const sentAt = new Map<string, number>();
  const memory = rssMb();
  const sent = (id: string) => void sentAt.set(id, performance.now());
  const during = await cpuPercentOf(() => (ROWS_PER_SECOND > 0 ? writeRows(sent) : logOut(some(), sent)));
  await sleep(1_500);
  const delays = listeners.flatMap(({ arrived }) =>
    [...arrived].flatMap(([sid, at]) => (sentAt.has(sid) ? [at - sentAt.get(sid)!] : [])),
  );
  delays.sort((one, other) => one - other);
  console.log(
    JSON.stringify(
      {
        engine: values.engine,
        listeners: LISTENERS,
        revocationsPerSecond: Number((ROWS_PER_SECOND || PER_SECOND).toFixed(1)),
        streamsEnded: listeners.filter(({ hasEnded }) => hasEnded()).length,
        snapshot: { events: listeners[0]!.snapshot, ms: Math.round(snapshotMs), cpuMs: Math.round(snapshotCpuMs) },
        cpuPercent: { without, during },
        rssMb: { before: memory, after: rssMb() },
        events: { expected: sentAt.size * LISTENERS, arrived: delays.length },
        delayMs: { p50: at(delays, 0.5), p99: at(delays, 0.99), max: at(delays, 1) },
      },
      undefined,
      2,
    ),
  );
  for (const { close } of listeners) close();
} finally {
  await database.close();
  await service.stop();
  await mariadb?.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function seedTokens(): Promise<string[]> {
  const sessions = await seedSessions(database, Math.round(PER_SECOND * (SECONDS * 2 + 20)));
  return sessions.map(({ accessToken }) => accessToken);
}

/** Inserts revocations in force. */
async function putRevocations(count: number): Promise<void> {
  for (let put = 0; put < count; put += 500)
    await insertRows(Array.from({ length: Math.min(500, count - put) }, newId), Date.now() - 60_000);
}

async function insertRows(ids: readonly string[], changedAt: number): Promise<void> {
  const until = Date.now() + TTL_SECONDS * 1_000;
  await database.execute(
    `INSERT INTO revocations (kind, subject, until_at, changed_at) VALUES ${ids.map(() => "('session', ?, ?, ?)").join(', ')}`,
    ids.flatMap((id) => [Buffer.from(id.replaceAll('-', ''), 'hex'), until, changedAt]),
  );
}

/** Writes rows at the rate. */
async function writeRows(sent: (id: string) => void): Promise<void> {
  const began = performance.now();
  for (let write = 0; write < SECONDS * WRITES_PER_SECOND; write += 1) {
    const wait = (1_000 * write) / WRITES_PER_SECOND - (performance.now() - began);
    if (wait > 0) await sleep(wait);
    const ids = Array.from({ length: Math.round(ROWS_PER_SECOND / WRITES_PER_SECOND) }, newId);
    await insertRows(ids, Date.now());
    ids.forEach(sent);
  }
}

/** Returns the share of a CPU core that the service took during the work. */
async function cpuPercentOf(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  const before = cpuMs();
  await work();
  return Number(((100 * (cpuMs() - before)) / (performance.now() - began)).toFixed(1));
}

/** Logs out at the rate. */
async function logOut(tokens: readonly string[], sent: (sid: string) => void): Promise<void> {
  const began = performance.now();
  const pending: Promise<void>[] = [];
  for (const [index, token] of tokens.entries()) {
    const wait = (1_000 * index) / PER_SECOND - (performance.now() - began);
    if (wait > 0) await sleep(wait);
    const { sid } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { readonly sid: string };
    pending.push(
      fetch(`${service.url}/api/v1/auth/logout`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
      }).then((response) => {
        if (!response.ok) throw new Error(`logout: ${response.status}`);
        sent(sid);
      }),
    );
  }
  await Promise.all(pending);
}

/** Opens a stream and resolves at the end of its snapshot. */
async function listen() {
  const headers = { authorization: `Bearer ${await rootToken()}` };
  const controller = new AbortController();
  const response = await fetch(`${service.url}/api/v1/auth/revocations`, { headers, signal: controller.signal });
  if (!response.ok) throw new Error(`revocations: ${response.status}`);
  const arrived = new Map<string, number>();
  let snapshot = 0;
  const complete = Promise.withResolvers<void>();
  const read = async () => {
    let isComplete = false;
    let rest = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (rest + chunk).split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks) {
        if (block.startsWith('event: snapshot-end')) {
          isComplete = true;
          complete.resolve();
        } else if (block.startsWith('event: ')) {
          if (isComplete) arrived.set(/"id":"([^"]+)"/.exec(block)![1]!, performance.now());
          else snapshot += 1;
        }
      }
    }
  };
  let hasEnded = false;
  read()
    .catch((error: unknown) => complete.reject(error as Error))
    .finally(() => (hasEnded = true));
  await complete.promise;
  return { arrived, snapshot, hasEnded: () => hasEnded, close: () => controller.abort() };
}

function rootToken(): Promise<string> {
  return (root ??= (async () => {
    const response = await fetch(`${service.url}/api/v1/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'root', password: PASSWORD }),
    });
    return ((await response.json()) as { readonly accessToken: string }).accessToken;
  })());
}

/** The CPU time of the service so far, in milliseconds: clock ticks of 10 ms. */
function cpuMs(): number {
  const fields = readFileSync(`/proc/${service.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

function rssMb(): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))!;
  return Math.round(Number(kilobytes) / 1_024);
}

function at(sorted: readonly number[], share: number): number {
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
}
