// Measures bearer checks of a process whose database is on another machine: `npm run bench -- distant-database`. A proxy makes each response
// of MariaDB later. Each check reads the revocation and the account. Options: --delays 0,1 (milliseconds), --callers 32,128, --seconds 5.
import { execFileSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { connectDatabase } from '../src/platform/db/connect.ts';
import { startDelayedProxy } from './delayed-proxy.ts';
import { measureLatency } from './figures/latency.ts';
import { startMariaDb } from './mariadb.ts';
import { LOAD_CORE, SERVER_CORE, cpuSeconds } from './program.ts';
import { seedSessions } from './seed.ts';
import { startService } from './service.ts';
import { wrkSide } from './stand.ts';

const { values } = parseArgs({
  options: {
    delays: { type: 'string', default: '0,1' },
    callers: { type: 'string', default: '32,128' },
    seconds: { type: 'string', default: '5' },
  },
});
const ME = '/api/v1/auth/me';
const SESSIONS = 512;
/** Shares of the greatest rate at which latencies are measured. */
const SHARES = [0.15, 0.3];
const seconds = Number(values.seconds);
const numbers = (list: string) => list.split(',').map(Number);

// The proxy and the reader of the log run here, beside the database and the load.
execFileSync('taskset', ['-a', '-c', '-p', String(LOAD_CORE), String(process.pid)], { stdio: 'ignore' });
process.stdout.write(
  `MariaDB, load average ${loadavg()[0]!.toFixed(1)}\n\n` +
    '| Delay, ms | Callers | Checks per second of a core | µs CPU | At this rate per second: p50 / p99 / max, ms |\n' +
    '| ---: | ---: | ---: | ---: | --- |\n',
);
for (const delay of numbers(values.delays)) await measure(delay);
process.stdout.write(`\nload average ${loadavg()[0]!.toFixed(1)}\n`);

async function measure(delay: number): Promise<void> {
  const server = await startMariaDb(LOAD_CORE);
  const proxy = await startDelayedProxy(Number(new URL(server.url).port), delay);
  const distant = new URL(server.url);
  if (delay > 0) distant.port = String(proxy.port);
  const service = await startService({ core: SERVER_CORE, databaseUrl: distant.href });
  const database = connectDatabase({ url: server.url, poolSize: 2, log: pino({ level: 'silent' }) });
  try {
    const lines = (await seedSessions(database, SESSIONS)).map(({ accessToken }) => accessToken);
    const headers = lines.map((token) => `Bearer ${token}`);
    for (const connections of numbers(values.callers)) {
      const { load } = wrkSide('', service, { path: ME, format: 'bearer', lines, connections });
      await load(2);
      const before = cpuSeconds(service.pid);
      const { requests, seconds: took } = await load(seconds);
      const cpu = cpuSeconds(service.pid) - before;
      const perCore = requests / Math.max(cpu, 1e-9);
      const latencies: string[] = [];
      for (const share of SHARES) {
        const perSecond = (share * requests) / took;
        const each = { path: ME, header: 'Authorization', values: headers, perSecond, seconds } as const;
        const { p50, p99, max } = await measureLatency(service, each);
        latencies.push(`${perSecond.toFixed(0)}: ${[p50, p99, max].map((ms) => ms.toFixed(1)).join(' / ')}`);
      }
      const cells = [delay, connections, perCore.toFixed(0), ((1e6 * cpu) / requests).toFixed(0), latencies.join('; ')];
      process.stdout.write(`| ${cells.join(' | ')} |\n`);
    }
  } finally {
    await service.stop();
    await database.close();
    await proxy.stop();
    await server.stop();
  }
}
