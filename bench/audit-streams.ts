// Measures streams of audit records: `npm run bench -- audit-streams`. 200 readers follow one process, 50 of them the records of all tenants
// and each other one those of its tenant, while 10,000 records a minute are written. Then readers that read nothing are added.
// Options: --engine sqlite|mariadb, --readers 200, --per-minute 10000, --seconds 60, --unread 20.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { insertAuditRecords } from '../src/auth/audit/trail/audit-store.ts';
import { UNLIMITED } from '../src/platform/clock.ts';
import { connectDatabase } from '../src/platform/db/connect.ts';
import { newId } from '../src/platform/db/ids.ts';
import { startMariaDb } from './mariadb.ts';
import { cpuSeconds } from './program.ts';
import { startService } from './service.ts';

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    readers: { type: 'string', default: '200' },
    'per-minute': { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '60' },
    unread: { type: 'string', default: '20' },
  },
});
const READERS = Number(values.readers);
const OF_ALL_TENANTS = READERS / 4;
const PER_SECOND = Number(values['per-minute']) / 60;
const SECONDS = Number(values.seconds);
const UNREAD = Number(values.unread);
const WRITES_PER_SECOND = 20;
const IDLE_MS = 10_000;
/** Longer than the bound for a reader that does not read. */
const UNREAD_SECONDS = 50;
const PASSWORD = randomBytes(24).toString('base64url');
const PATH = '/api/v1/audit-records/stream';

const folder = mkdtempSync(join(tmpdir(), 'audit-streams-'));
const mariadb = values.engine === 'mariadb' ? await startMariaDb(1) : undefined;
const databaseUrl = mariadb?.url ?? `sqlite:${join(folder, 'bench.db')}`;
const bootstrap = join(folder, 'bootstrap.yaml');
const tenants = Array.from({ length: READERS - OF_ALL_TENANTS }, (_, index) => `t${index}`);
writeFileSync(
  bootstrap,
  `superAdmins: [{username: root, password: ${PASSWORD}}]\ntenants:\n${tenants.map((id) => `  - {id: ${id}, name: ${id}}\n`).join('')}`,
  { mode: 0o600 },
);
const settings = {
  'app.bootstrap.file': bootstrap,
  'app.audit.streams-per-account': String(READERS + UNREAD),
};
const service = await startService({ core: 0, databaseUrl, settings });
const database = connectDatabase({ url: databaseUrl, poolSize: 2, log: pino({ level: 'silent' }) });
const delays: number[] = [];
const closing = new AbortController();
const sockets: Socket[] = [];
try {
  const authorization = `Bearer ${await logIn()}`;
  const without = await measure(() => writeRecords(SECONDS));
  for (const tenant of [...tenants, ...Array<undefined>(OF_ALL_TENANTS).fill(undefined)])
    await openReader(authorization, tenant);
  const idle = await measure(() => sleep(IDLE_MS));
  let written = 0;
  const reading = await measure(async () => {
    written = await writeRecords(SECONDS);
    for (let wait = 0; delays.length < written * (OF_ALL_TENANTS + 1) && wait < 20; wait += 1) await sleep(500);
  });
  const arrived = delays.length;
  delays.sort((one, other) => one - other);
  const delayMs = { p50: at(0.5), p99: at(0.99), max: at(1) };
  closing.abort();
  await openUnread(authorization);
  const opened = await openStreams();
  // Large records, so that the buffers of the kernel fill.
  const unread = await measure(() => writeRecords(UNREAD_SECONDS, 'x'.repeat(4_000)));
  const result = {
    engine: values.engine,
    readers: READERS,
    recordsPerMinute: PER_SECOND * 60,
    cpuPercent: { withoutReaders: without.cpuPercent, idleReaders: idle.cpuPercent, reading: reading.cpuPercent },
    rssMb: { withoutReaders: without.rssMb, idleReaders: idle.rssMb, reading: reading.rssMb },
    records: { expected: written * (OF_ALL_TENANTS + 1), arrived },
    delayMs,
    unread: { opened, left: await openStreams(), cpuPercent: unread.cpuPercent, rssMb: unread.rssMb },
  };
  console.log(JSON.stringify(result, undefined, 2));
} finally {
  closing.abort();
  for (const socket of sockets) socket.destroy();
  await database.close();
  await service.stop();
  await mariadb?.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function logIn(): Promise<string> {
  const response = await fetch(`${service.url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'root', password: PASSWORD }),
  });
  return ((await response.json()) as { readonly accessToken: string }).accessToken;
}

/** Opens a stream, and notes the delay of each of its records. */
async function openReader(authorization: string, tenant: string | undefined): Promise<void> {
  const query = tenant === undefined ? '' : `?tenantId=${tenant}`;
  const response = await fetch(service.url + PATH + query, { headers: { authorization }, signal: closing.signal });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  const read = async () => {
    let rest = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const events = (rest + chunk).split('\n\n');
      rest = events.pop()!;
      for (const event of events) {
        const [, time] = /"at":"([^"]+)"/.exec(event) ?? [];
        if (time !== undefined) delays.push(Date.now() - Date.parse(time));
      }
    }
  };
  read().catch(() => {});
}

/** Opens streams that nobody reads. */
async function openUnread(authorization: string): Promise<void> {
  const { hostname, port, host } = new URL(service.url);
  for (let count = 0; count < UNREAD; count += 1) {
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    // Its receive window fills, and the service sees that nothing is read.
    socket.pause();
    socket.on('error', () => {});
    await new Promise((resolve) => void socket.once('connect', () => resolve(undefined)));
    socket.write(`GET ${PATH} HTTP/1.1\r\nhost: ${host}\r\nauthorization: ${authorization}\r\n\r\n`);
  }
  await sleep(2_000);
}

/** Returns the number of open streams. */
async function openStreams(): Promise<number> {
  const { management } = JSON.parse(service.readyLine) as { readonly management: string };
  const text = await (await fetch(`${management}/metrics`)).text();
  return Number(/^audit_streams (\d+)/m.exec(text)![1]);
}

/** Writes records at the rate, of all tenants in turn. Returns their number. */
async function writeRecords(seconds: number, text = ''): Promise<number> {
  const began = performance.now();
  const total = Math.round(PER_SECOND * seconds);
  let written = 0;
  for (let write = 1; write <= seconds * WRITES_PER_SECOND; write += 1) {
    const wait = (1_000 * write) / WRITES_PER_SECOND - (performance.now() - began);
    if (wait > 0) await sleep(wait);
    const count = Math.round((total * write) / (seconds * WRITES_PER_SECOND)) - written;
    const records = Array.from({ length: count }, (_, index) => ({
      id: newId(),
      tenantId: tenants[(written + index) % tenants.length],
      at: Date.now(),
      event: 'login.succeeded',
      accountId: newId(),
      username: 'ann@example.com',
      clientAddress: '192.0.2.1',
      requestId: newId(),
      details: { method: 'pwd', text },
    }));
    await database.transaction(UNLIMITED, (tx) => insertAuditRecords(tx, records));
    written += count;
  }
  return written;
}

/** Returns the share of a CPU core that the service took during the work, and its greatest memory during it. */
async function measure(work: () => Promise<unknown>) {
  const began = performance.now();
  const before = cpuSeconds(service.pid);
  let rss = 0;
  const timer = setInterval(() => (rss = Math.max(rss, rssMb())), 500);
  await work();
  clearInterval(timer);
  const cpuPercent = Number(((1e5 * (cpuSeconds(service.pid) - before)) / (performance.now() - began)).toFixed(1));
  return { cpuPercent, rssMb: rss };
}

function rssMb(): number {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))![1]) / 1024);
}

function at(share: number): number {
  return delays[Math.min(delays.length - 1, Math.floor(share * delays.length))] ?? 0;
}
