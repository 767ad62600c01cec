import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { LOAD_CORE, type Program } from '../program.ts';

const run = promisify(execFile);
const PACED = fileURLToPath(new URL('../paced.ts', import.meta.url));

/** Latencies in milliseconds. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface PacedLoad {
  readonly path: string;
  readonly header: 'Authorization' | 'Cookie';
  readonly values: readonly string[];
  readonly perSecond: number;
  readonly seconds: number;
}

/** With V8's defaults, each of the client's own collections takes 10 to 20 ms on one core, several times per second. */
const SHORT_COLLECTIONS = ['--max-semi-space-size=1', '--single-threaded-gc'];

/** How long requests are sent before they count, because V8 compiles the programs then. */
export const WARM_UP_SECONDS = 3;

/** Sends requests at fixed times, for the warm-up and the seconds that count. Rejects if one fails. */
export async function measureLatency({ url, directory }: Program, load: PacedLoad): Promise<Latency> {
  const { path, header, values, perSecond, seconds } = load;
  const file = join(directory, 'paced');
  writeFileSync(file, values.join('\n'));
  const rate = String(Math.max(1, Math.round(perSecond)));
  const args = [PACED, url, path, rate, String(WARM_UP_SECONDS), String(seconds), file, header];
  const { stdout } = await run('taskset', ['-c', String(LOAD_CORE), process.execPath, ...SHORT_COLLECTIONS, ...args]);
  const { failures, ...latency } = JSON.parse(stdout) as Latency & { failures: object };
  if (Object.keys(failures).length > 0) throw new Error(`${path} failed: ${JSON.stringify(failures)}`);
  return latency;
}

/** Describes two latencies for the detail of a figure. */
export function besideAlone(during: Latency, alone: Latency): string {
  const shown = ({ p50, p99, max }: Latency) => [p50, p99, max].map((value) => value.toFixed(1)).join(' / ');
  return `p50 / p99 / max ${shown(during)} ms, alone ${shown(alone)} ms`;
}
