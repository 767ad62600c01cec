// Measures webhooks: `npm run bench -- webhooks`. Each of 1,000 tenants has a webhook, and 10,000 audit records a minute are written, one
// webhook gets each. Options: --engine sqlite|mariadb, --webhooks 1000, --per-minute 10000, --seconds 60, and --dead 0: so many further
// webhooks get the same records and their receiver never responds.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { json } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { insertAuditRecords } from '../src/auth/audit/trail/audit-store.ts';
import { UNLIMITED } from '../src/platform/clock.ts';
import { connectDatabase } from '../src/platform/db/connect.ts';
import { newId } from '../src/platform/db/ids.ts';
import { startMariaDb } from './mariadb.ts';
import { startService } from './service.ts';

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'sqlite' },
    webhooks: { type: 'string', default: '1000' },
    'per-minute': { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '60' },
    dead: { type: 'string', default: '0' },
  },
});
const WEBHOOKS = Number(values.webhooks);
const DEAD = Number(values.dead);
const PER_SECOND = Number(values['per-minute']) / 60;
const SECONDS = Number(values.seconds);
const WRITES_PER_SECOND = 20;
const PASSWORD = randomBytes(24).toString('base64url');

const folder = mkdtempSync(join(tmpdir(), 'webhooks-'));
const mariadb = values.engine === 'mariadb' ? await startMariaDb(1) : undefined;
const databaseUrl = mariadb?.url ?? `sqlite:${join(folder, 'bench.db')}`;
const bootstrap = join(folder, 'bootstrap.yaml');
const tenants = Array.from({ length: WEBHOOKS }, (_, index) => `t${index}`);
writeFileSync(
  bootstrap,
  `superAdmins: [{username: root, password: ${PASSWORD}}]\ntenants:\n${tenants.map((id) => `  - {id: ${id}, name: ${id}}\n`).join('')}`,
  { mode: 0o600 },
);
const settings = {
  // Receivers without TLS.
  'app.env': 'TEST',
  'app.bootstrap.file': bootstrap,
  'app.webhooks.allowed-networks': '127.0.0.1',
};
const service = await startService({ core: 0, databaseUrl, settings });
const database = connectDatabase({ url: databaseUrl, poolSize: 2, log: pino({ level: 'silent' }) });
const delays: number[] = [];
const ids = new Set<string>();
const receiver = createServer((request, response) => {
  if (request.url === '/dead') return;
  void json(request).then((body) => {
    delays.push(Date.now() - Date.parse((body as { timestamp: string }).timestamp));
    ids.add(request.headers['webhook-id'] as string);
    response.writeHead(204).end();
  });
});
await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve));
const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;

try {
  await createWebhooks();
  const idle = await measure(() => sleep(10_000));
  let written = 0;
  const busy = await measure(async () => {
    written = await writeRecords();
    for (let wait = 0; delays.length < written && wait < 20; wait += 1) await sleep(500);
  });
  delays.sort((one, other) => one - other);
  const at = (share: number) => delays[Math.min(delays.length - 1, Math.floor(share * delays.length))];
  const result = {
    engine: values.engine,
    webhooks: WEBHOOKS,
    dead: DEAD,
    recordsPerMinute: PER_SECOND * 60,
    cpuPercent: { idle: idle.cpuPercent, busy: busy.cpuPercent },
    rssMb: { before: idle.rssMb, after: busy.rssMb },
    deliveries: { expected: written, arrived: delays.length, distinct: ids.size },
    delayMs: { p50: at(0.5), p99: at(0.99), max: at(1) },
  };
  console.log(JSON.stringify(result, undefined, 2));
} finally {
  receiver.closeAllConnections();
  receiver.close();
  await database.close();
  await service.stop();
  await mariadb?.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function createWebhooks(): Promise<void> {
  const { accessToken } = (await post('/auth/login', { username: 'root', password: PASSWORD })) as {
    readonly accessToken: string;
  };
  const create = (tenantId: string, url: string) =>
    post('/webhooks', { tenantId, url, events: ['login.succeeded'] }, { authorization: `Bearer ${accessToken}` });
  for (const tenant of tenants) await create(tenant, `${receiverUrl}/${tenant}`);
  for (const tenant of tenants.slice(0, DEAD)) await create(tenant, `${receiverUrl}/dead`);
}

async function post(path: string, body: object, headers: Record<string, string> = {}): Promise<unknown> {
  const response = await fetch(`${service.url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** Writes records at the rate, of all tenants in turn. Returns their number. */
async function writeRecords(): Promise<number> {
  const began = performance.now();
  const total = Math.round(PER_SECOND * SECONDS);
  let written = 0;
  for (let write = 1; write <= SECONDS * WRITES_PER_SECOND; write += 1) {
    const wait = (1_000 * write) / WRITES_PER_SECOND - (performance.now() - began);
    if (wait > 0) await sleep(wait);
    const count = Math.round((total * write) / (SECONDS * WRITES_PER_SECOND)) - written;
    const records = Array.from({ length: count }, (_, index) => ({
      id: newId(),
      tenantId: tenants[(written + index) % WEBHOOKS],
      at: Date.now(),
      event: 'login.succeeded',
      accountId: newId(),
      username: 'ann@example.com',
      clientAddress: '192.0.2.1',
      requestId: newId(),
      details: { method: 'pwd' },
    }));
    await database.transaction(UNLIMITED, (tx) => insertAuditRecords(tx, records));
    written += count;
  }
  return written;
}

/** Returns the share of a CPU core that the service took during the work, and its memory after it. */
async function measure(work: () => Promise<void>) {
  const began = performance.now();
  const before = cpuMs();
  await work();
  const cpuPercent = Number(((100 * (cpuMs() - before)) / (performance.now() - began)).toFixed(1));
  return { cpuPercent, rssMb: rssMb() };
}

/** The CPU time of the service so far, in milliseconds: clock ticks of 10 ms. */
function cpuMs(): number {
  const fields = readFileSync(`/proc/${service.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

function rssMb(): number {
  const [, kb] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))!;
  return Math.round(Number(kb) / 1024);
}
