// Sends requests at fixed times and prints their latencies as JSON. A latency counts from the time when its request was due. The
// requests of the warm-up do not count.
// Usage: `paced.ts ORIGIN PATH PER_SECOND WARM_UP_SECONDS SECONDS FILE HEADER`. The file has a value of the header in each line. With the header
// `Cookie`, the requests are POST, and the cookie of each response replaces the value.
import { readFileSync } from 'node:fs';
import { createHistogram } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

const CONNECTIONS = 64;

const [origin = '', path = '', perSecond = '', warmUpSeconds = '', seconds = '', file = '', header = ''] =
  process.argv.slice(2);
const method = header === 'Cookie' ? 'POST' : 'GET';
const idle = readFileSync(file, 'utf8').trim().split('\n');
const pool = new Pool(origin, { connections: CONNECTIONS });
const latency = createHistogram({ lowest: 1_000, highest: 120e9, figures: 3 });
const failures = new Map<string, number>();
const open = new Set<Promise<void>>();

const fail = (reason: string) => void failures.set(reason, (failures.get(reason) ?? 0) + 1);

async function send(value: string, due: number, counts: boolean): Promise<void> {
  const { statusCode, headers, body } = await pool.request({ path, method, headers: { [header]: value } });
  await body.dump();
  if (statusCode !== 200) return fail(String(statusCode));
  if (counts) latency.record(Math.max(1_000, Math.round((performance.now() - due) * 1e6)));
  const cookie = [headers['set-cookie'] ?? []].flat()[0]?.split(';')[0];
  if (cookie !== undefined) idle.push(cookie);
}

const began = performance.now();
const intervalMs = 1000 / Number(perSecond);
const uncounted = Number(perSecond) * Number(warmUpSeconds);
const count = uncounted + Number(perSecond) * Number(seconds);
for (let index = 0; index < count; index += 1) {
  const due = began + index * intervalMs;
  const early = due - performance.now();
  if (early > 0) await sleep(early);
  const value = idle.shift();
  // A token can be used by several requests at once, a cookie cannot.
  if (value !== undefined && method === 'GET') idle.push(value);
  if (value === undefined) {
    fail('no idle session');
    continue;
  }
  const sent = send(value, due, index >= uncounted)
    .catch((error: Error) => fail(error.message))
    .then(() => void open.delete(sent));
  open.add(sent);
}
await Promise.all(open);
await pool.close();
const at = (percentile: number) => latency.percentile(percentile) / 1e6;
const result = { p50: at(50), p99: at(99), max: latency.max / 1e6, failures: Object.fromEntries(failures) };
process.stdout.write(`${JSON.stringify(result)}\n`);
