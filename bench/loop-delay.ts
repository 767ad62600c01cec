// Measures the turns of the event loop: how long a call that arrives waits for the turn before it. The CPU time of a turn does not contain
// the time in which other programs had the core. Loaded into a measured program with `--import`, it writes them to a file at each signal.
import { writeFileSync } from 'node:fs';
import { createHistogram } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** In the working directory of the program. Written at each SIGUSR2. */
export const LOOP_DELAY_FILE = 'loop-delay.json';

/** Milliseconds between two turns. */
export interface Turns {
  readonly p99: number;
  readonly max: number;
}

export interface LoopDelay {
  readonly elapsed: Turns;
  readonly cpu: Turns;
}

const elapsed = createHistogram();
const cpu = createHistogram();
let last = moment();

setInterval(() => {
  const now = moment();
  elapsed.record(Math.max(1, Math.round(1e3 * (now.at - last.at))));
  cpu.record(Math.max(1, now.cpu - last.cpu));
  last = now;
}, 1).unref();

/** Returns the turns since the last time that they were read. */
export function readTurns(): LoopDelay {
  const delay = { elapsed: turnsOf(elapsed), cpu: turnsOf(cpu) };
  elapsed.reset();
  cpu.reset();
  return delay;
}

if (isMainThread) process.on('SIGUSR2', () => writeFileSync(LOOP_DELAY_FILE, JSON.stringify(readTurns())));

function moment(): { readonly at: number; readonly cpu: number } {
  const { user, system } = process.threadCpuUsage();
  return { at: performance.now(), cpu: user + system };
}

function turnsOf(histogram: typeof cpu): Turns {
  return { p99: histogram.percentile(99) / 1e3, max: histogram.max / 1e3 };
}
