import { busySeconds, cpuSeconds } from './program.ts';
import { SERVER_CORE } from './stand.ts';
import type { Load } from './wrk.ts';

/** One side of a comparison. */
export interface Side {
  readonly name: string;
  /** Id of the process whose CPU time is measured. */
  readonly pid: number;
  /** Puts load on the process for some seconds. */
  load(seconds: number): Promise<Load>;
}

/** A value that is measured without a limit program. */
export interface Figure {
  readonly title: string;
  readonly unit: string;
  /** The greatest value that meets the target. */
  readonly aim: number;
  measure(): Promise<{ readonly value: number; readonly detail: string }>;
}

export interface Comparison {
  readonly title: string;
  /** Target of the ratio subject / limit, at least. */
  readonly aim: number;
  /** Whether the target is for the ratio of CPU times instead of that of rates. */
  readonly aimIsForCpu?: boolean;
  /** The smallest ratio of CPU times that --quick accepts. Comparisons without it are not part of --quick. */
  readonly floor?: number;
  readonly subject: Side;
  readonly limit: Side;
}

/** The measurement of one side in one block. */
export interface Block extends Load {
  readonly cpuSeconds: number;
  /** CPU time that other programs took of the same core. */
  readonly othersSeconds: number;
}

export interface Pair {
  readonly subject: Block;
  readonly limit: Block;
}

/** How long a comparison measures. */
export interface Effort {
  readonly pairs: number;
  /** Length of a block. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

/** Warms up both sides and measures them alternately. A disturbance then affects both sides, or is visible in the spread. */
export async function compare(
  { subject, limit }: Comparison,
  { pairs, seconds, warmUpSeconds }: Effort,
): Promise<Pair[]> {
  await warmUp(subject, warmUpSeconds);
  await warmUp(limit, warmUpSeconds);
  const measured: Pair[] = [];
  for (let index = 0; index < pairs; index += 1) {
    measured.push({ subject: await measure(subject, seconds), limit: await measure(limit, seconds) });
  }
  return measured;
}

/** Requests after which V8 has compiled the code that runs often. */
const WARM_REQUESTS = 6_000;
const LONGEST_WARM_UP_SECONDS = 4;

/** Loads a side at least for some seconds. On a busy machine, longer, until its code is compiled. */
async function warmUp(side: Side, seconds: number): Promise<void> {
  let requests = 0;
  for (let spent = 0; spent < seconds || (requests < WARM_REQUESTS && spent < LONGEST_WARM_UP_SECONDS); spent += 1) {
    requests += (await side.load(1)).requests;
  }
}

async function measure(side: Side, seconds: number): Promise<Block> {
  const before = { own: cpuSeconds(side.pid), all: busySeconds(SERVER_CORE) };
  const load = await side.load(seconds);
  const own = cpuSeconds(side.pid) - before.own;
  return { ...load, cpuSeconds: own, othersSeconds: Math.max(0, busySeconds(SERVER_CORE) - before.all - own) };
}
