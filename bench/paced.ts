// Sends requests at fixed times and prints their latencies as JSON. A latency counts from the time when its request was due.
// Usage: `paced.ts URL PER_SECOND SECONDS FILE HEADER`. The file has a value of the header in each line. With the header `Cookie`,
// the requests are POST, and the cookie of each response replaces the value.
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createHistogram } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

const [url = '', perSecond = '', seconds = '', file = '', header = ''] = process.argv.slice(2);
const method = header === 'Cookie' ? 'POST' : 'GET';
const idle = readFileSync(file, 'utf8').trim().split('\n');
const agent = new Agent({ keepAlive: true });
const latency = createHistogram({ lowest: 1_000, highest: 120e9, figures: 3 });
const failures = new Map<string, number>();
const open = new Set<Promise<void>>();

function send(value: string, due: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const finish = (outcome: number | string, next?: string) => {
    if (outcome === 200) latency.record(Math.max(1_000, Math.round((performance.now() - due) * 1e6)));
    else failures.set(String(outcome), (failures.get(String(outcome)) ?? 0) + 1);
    if (outcome === 200 && next !== undefined) idle.push(next);
    resolve();
  };
  request(url, { method, agent, headers: { [header]: value } }, (response) => {
    const cookie = response.headers['set-cookie']?.[0]?.split(';')[0];
    response.resume();
    response.once('end', () => finish(response.statusCode!, cookie));
  })
    .once('error', (error) => finish(error.message))
    .end();
  return promise;
}

const began = performance.now();
const count = Number(perSecond) * Number(seconds);
for (let index = 0; index < count; index += 1) {
  const due = began + (1000 * index) / Number(perSecond);
  const early = due - performance.now();
  if (early > 0) await sleep(early);
  const value = idle.shift();
  // A token can be used by several requests at once, a cookie cannot.
  if (value !== undefined && method === 'GET') idle.push(value);
  if (value === undefined) {
    failures.set('no idle session', (failures.get('no idle session') ?? 0) + 1);
    continue;
  }
  const sent = send(value, due).then(() => void open.delete(sent));
  open.add(sent);
}
await Promise.all(open);
agent.destroy();
const at = (percentile: number) => latency.percentile(percentile) / 1e6;
const result = { p50: at(50), p99: at(99), max: latency.max / 1e6, failures: Object.fromEntries(failures) };
process.stdout.write(`${JSON.stringify(result)}\n`);
