import { SERVER_CORE, busySeconds, cpuSeconds } from './program.ts';
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
  /** Requests after which V8 has compiled the code that runs often. A warm-up lasts longer than `warmUpSeconds` until then. */
  readonly warmUpRequests: number;
}

/** Warms up both sides and measures them alternately. A disturbance then affects both sides, or is visible in the spread. */
export async function compare({ subject, limit }: Comparison, effort: Effort): Promise<Pair[]> {
  const { pairs, seconds } = effort;
  await warmUp(subject, effort);
  await warmUp(limit, effort);
  const measured: Pair[] = [];
  for (let index = 0; index < pairs; index += 1) {
    measured.push({ subject: await measure(subject, seconds), limit: await measure(limit, seconds) });
  }
  return measured;
}

const LONGEST_WARM_UP_SECONDS = 6;

/** Loads a side until its code is compiled, so that a service that has just started is not compared with one that has run for long. */
async function warmUp(side: Side, { warmUpSeconds, warmUpRequests }: Effort): Promise<void> {
  let requests = 0;
  let spent = 0;
  while (spent < warmUpSeconds || (requests < warmUpRequests && spent < LONGEST_WARM_UP_SECONDS)) {
    requests += (await side.load(1)).requests;
    spent += 1;
  }
}

async function measure(side: Side, seconds: number): Promise<Block> {
  const before = { own: cpuSeconds(side.pid), all: busySeconds(SERVER_CORE) };
  const load = await side.load(seconds);
  const own = cpuSeconds(side.pid) - before.own;
  return { ...load, cpuSeconds: own, othersSeconds: Math.max(0, busySeconds(SERVER_CORE) - before.all - own) };
}
