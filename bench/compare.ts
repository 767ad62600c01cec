import { cpuSeconds } from './program.ts';
import type { Load } from './wrk.ts';

/** One side of a comparison. */
export interface Side {
  readonly name: string;
  /** Id of the process whose CPU time is measured. */
  readonly pid: number;
  /** Puts load on the process for some seconds. */
  load(seconds: number): Promise<Load>;
}

export interface Comparison {
  readonly title: string;
  /** Target of the ratio subject / limit, at least. */
  readonly aim: number;
  readonly subject: Side;
  readonly limit: Side;
}

/** The measurement of one side in one block. */
export interface Block extends Load {
  readonly cpuSeconds: number;
}

export interface Pair {
  readonly subject: Block;
  readonly limit: Block;
}

const WARM_UP_SECONDS = 3;

/** Warms up both sides and measures them alternately. A disturbance then affects both sides, or is visible in the spread. */
export async function compare({ subject, limit }: Comparison, pairs: number, seconds: number): Promise<Pair[]> {
  await measure(subject, WARM_UP_SECONDS);
  await measure(limit, WARM_UP_SECONDS);
  const measured: Pair[] = [];
  for (let index = 0; index < pairs; index += 1) {
    measured.push({ subject: await measure(subject, seconds), limit: await measure(limit, seconds) });
  }
  return measured;
}

async function measure(side: Side, seconds: number): Promise<Block> {
  const before = cpuSeconds(side.pid);
  const load = await side.load(seconds);
  return { ...load, cpuSeconds: cpuSeconds(side.pid) - before };
}
