// Runs a call by many callers at once, and measures rate, latency and the pages that the server reads from the disk.
import type { Database } from '../../src/platform/db/types.ts';

export const CALLERS = 32;

export interface Measurement {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Pages of 16 KiB that InnoDB read from the file, for each call. */
  readonly pagesRead: number;
  /** Calls that were rejected, for example by the time limit of a statement. */
  readonly failures: number;
}

/** Repeats a call until `isOver`. */
export async function measureCalls(
  database: Database,
  call: () => Promise<unknown>,
  isOver: () => boolean,
): Promise<Measurement> {
  const latencies: number[] = [];
  let failures = 0;
  const readBefore = await pagesRead(database);
  const started = performance.now();
  const repeat = async () => {
    while (!isOver()) {
      const began = performance.now();
      await call().catch(() => (failures += 1));
      latencies.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, repeat));
  const seconds = (performance.now() - started) / 1000;
  const sorted = Float64Array.from(latencies).toSorted();
  const percentile = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  return {
    perSecond: sorted.length / seconds,
    p50: percentile(0.5),
    p99: percentile(0.99),
    pagesRead: ((await pagesRead(database)) - readBefore) / sorted.length,
    failures,
  };
}

/** Returns a function that is true after some seconds. */
export function after(seconds: number): () => boolean {
  const end = performance.now() + seconds * 1000;
  return () => performance.now() >= end;
}

export function textOf({ perSecond, p50, p99, pagesRead: pages, failures }: Measurement): string {
  const [rate, median, slow] = [perSecond.toFixed(0), p50.toFixed(1), p99.toFixed(1)];
  return `${rate.padStart(7)}/s  p50 ${median.padStart(6)} ms  p99 ${slow.padStart(7)} ms  ${pages.toFixed(2)} pages read${failures > 0 ? `, ${failures} failed` : ''}`;
}

async function pagesRead(database: Database): Promise<number> {
  const [row] = await database.query<{ value: string }>(
    "SELECT variable_value AS value FROM information_schema.global_status WHERE variable_name = 'Innodb_buffer_pool_reads'",
  );
  return Number(row!.value);
}
