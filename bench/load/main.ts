// Load test of one unary RPC of a running core. See docs/performance.md.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { encodeRequest } from './encode-request.ts';
import { openCaller } from './caller.ts';
import { summaryOf, textOf } from './report.ts';
import { load } from './run.ts';

const USAGE = `npm run load -- RPC [options]
  RPC                  authservice.session.v1.SessionService/GetJsonWebKeySet, for example; not a stream
  --target URL         http://127.0.0.1:50051; https:// for TLS
  --ca FILE            CA of the server's certificate
  --data JSON          the request in the protos' JSON form ({})
  --token TOKEN        sent as a bearer token
  --header NAME:VALUE  further metadata, repeatable: x-api-key:…
  --concurrency N      most calls at once (32)
  --connections N      HTTP/2 connections (one for 64 calls at once)
  --duration SECONDS   (10)
  --warm-up SECONDS    loaded before, not counted (2)
  --rate N             calls that begin in a second; latency counts from when a call was due (as many as come back)
  --timeout MS         deadline of each call (5000)
  --json FILE          where to write the result as JSON`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    target: { type: 'string', default: 'http://127.0.0.1:50051' },
    ca: { type: 'string' },
    data: { type: 'string', default: '{}' },
    token: { type: 'string' },
    header: { type: 'string', multiple: true, default: [] },
    concurrency: { type: 'string', default: '32' },
    connections: { type: 'string' },
    duration: { type: 'string', default: '10' },
    'warm-up': { type: 'string', default: '2' },
    rate: { type: 'string' },
    timeout: { type: 'string', default: '5000' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(`${USAGE}\n`);
  process.exit();
}

const [rpc, ...more] = positionals;
if (rpc === undefined || more.length > 0) stop(USAGE);
const concurrency = positive('concurrency', values.concurrency);
const connections = positive('connections', values.connections ?? String(Math.ceil(concurrency / 64)));
const seconds = positive('duration', values.duration);
const perSecond = values.rate === undefined ? undefined : positive('rate', values.rate);
const metadata = Object.fromEntries(values.header.map(headerOf));

const caller = await openCaller({
  target: values.target,
  ca: values.ca,
  connections,
  path: `/${rpc}`,
  message: request(rpc, values.data),
  metadata: { ...metadata, ...(values.token !== undefined && { authorization: `Bearer ${values.token}` }) },
  timeoutMs: positive('timeout', values.timeout),
}).catch((error: Error) => stop(`${values.target} cannot be reached: ${error.message}`));
const warmUpMs = 1000 * Number(values['warm-up']);
if (warmUpMs > 0) await load(caller, { concurrency, durationMs: warmUpMs });
const summary = summaryOf(await load(caller, { concurrency, durationMs: 1000 * seconds, perSecond }));
await caller.close();
process.stdout.write(`${textOf(summary)}\n`);
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(summary, undefined, 2)}\n`);
if ((summary.statuses['OK'] ?? 0) < summary.calls) process.exitCode = 1;

function request(name: string, json: string): Uint8Array {
  try {
    return encodeRequest(name, JSON.parse(json));
  } catch (error) {
    return stop((error as Error).message);
  }
}

function positive(name: string, text: string): number {
  const number = Number(text);
  return number > 0 ? number : stop(`--${name} must be a number above 0, not ${text}`);
}

function headerOf(text: string): [name: string, value: string] {
  const at = text.indexOf(':');
  return at > 0
    ? [text.slice(0, at).toLowerCase(), text.slice(at + 1).trim()]
    : stop(`--header wants NAME:VALUE, not ${text}`);
}

function stop(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
