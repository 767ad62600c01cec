// Loaded into a measured program with `--import`. Writes the delays of its event loop since the last signal to a file, in milliseconds.
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** In the working directory of the program. */
export const LOOP_DELAY_FILE = 'loop-delay.json';

/** Delays of the event loop in milliseconds. */
export interface LoopDelay {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Begins to measure. */
export function measureLoopDelay(): void {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  process.on('SIGUSR2', () => {
    const at = (percentile: number) => delays.percentile(percentile) / 1e6;
    const result: LoopDelay = { p50: at(50), p99: at(99), max: delays.max / 1e6 };
    writeFileSync(LOOP_DELAY_FILE, JSON.stringify(result));
    delays.reset();
  });
}

if (isMainThread && process.execArgv.some((flag) => flag.endsWith('loop-delay.ts'))) measureLoopDelay();
