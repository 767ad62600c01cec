import { randomFill } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { availableParallelism, getPriority, setPriority } from 'node:os';

/** Of Linux: the threads of this process. */
const THREADS = '/proc/self/task';
/** Niceness beyond that of the event loop: a third of its weight, if both want the same core (sched(7), "The nice value"). */
const NICER = 5;
const NICEST = 19;
/** Of libuv. */
const DEFAULT_SIZE = 4;

/** Look-ups of names that tenants chose. */
const TENANT_LOOKUPS = 12;
/** Other look-ups: of the database, the mail server and the like. */
const OWN_LOOKUPS = 4;

/**
 * Sets size and priority of libuv's thread pool, in which password hashes run. Without the lower priority, hashes delay the requests
 * that the event loop serves on the same core. Works only before the first use of the pool. The priority is set on Linux only.
 */
export function tuneThreadPool(): void {
  // libuv gives look-ups half of the pool. Hashes and files have the other half.
  process.env['UV_THREADPOOL_SIZE'] ??= String(availableParallelism() + 2 * (TENANT_LOOKUPS + OWN_LOOKUPS));
  if (process.platform !== 'linux') return;
  const others = new Set(threads());
  // Starts all threads of the pool.
  randomFill(Buffer.alloc(1), () => {});
  const nice = Math.min(getPriority() + NICER, NICEST);
  for (const thread of threads()) if (!others.has(thread)) lowerPriority(Number(thread), nice);
}

/** Returns how many look-ups of names that tenants chose may run at the same time, so that threads are left for others. */
export function maxLookups(): number {
  const size = Number(process.env['UV_THREADPOOL_SIZE'] ?? DEFAULT_SIZE);
  const ofLookups = Math.floor((size + 1) / 2);
  return ofLookups > OWN_LOOKUPS ? ofLookups - OWN_LOOKUPS : 1;
}

/** A sandbox can refuse it. The process starts all the same: only latencies differ. */
function lowerPriority(thread: number, nice: number): void {
  try {
    setPriority(thread, nice);
  } catch {
    // The thread keeps the priority of the event loop.
  }
}

/** None where /proc is not mounted. */
function threads(): readonly string[] {
  try {
    return readdirSync(THREADS);
  } catch {
    return [];
  }
}
