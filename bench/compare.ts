import { cpuSeconds } from './program.ts';
import type { Load } from './wrk.ts';

/** One of the two things compared. */
export interface Side {
  readonly name: string;
  /** Of the process whose CPU time is looked at. */
  readonly pid: number;
  /** Loads it for some seconds. */
  load(seconds: number): Promise<Load>;
}

export interface Comparison {
  readonly title: string;
  /** The ratio that is wanted at least. */
  readonly aim: number;
  readonly subject: Side;
  readonly limit: Side;
}

/** What one side came to in one block. */
export interface Block extends Load {
  readonly cpuSeconds: number;
}

export interface Pair {
  readonly subject: Block;
  readonly limit: Block;
}

const WARM_UP_SECONDS = 3;

/** Measures both sides in turn, warmed up, so that a disturbance meets both or shows in the spread. */
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
