// What a run of the bench found out, as data: for the table, the page and whoever compares two runs.
import { availableParallelism, loadavg } from 'node:os';
import type { Block, Comparison, Pair } from './compare.ts';

/** The middle of some figures, their least and their greatest. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** One side's medians. */
export interface SideFigures {
  readonly name: string;
  readonly perSecond: number;
  /** Share of its core that the process used. */
  readonly cpuShare: number;
  /** CPU time of a request, in microseconds. */
  readonly cpuMicroseconds: number;
}

export interface Result {
  readonly title: string;
  /** The ratio that is wanted at least. */
  readonly aim: number;
  /** Of rates, the service's to its limit's, over the pairs. */
  readonly ratio: Spread;
  /** Of CPU times per request, the limit's to the service's: what the ratio would be if nothing else used the machine. */
  readonly cpuRatio: Spread;
  readonly service: SideFigures;
  readonly limit: SideFigures;
}

/** The circumstances of a run: what its figures cannot be read without. */
export interface Run {
  readonly startedAt: string;
  readonly node: string;
  readonly cores: number;
  /** Load averages of a minute before and after the run; above the number of cores, rates are noise. */
  readonly loadBefore: number;
  readonly loadAfter: number;
  readonly pairs: number;
  readonly secondsPerBlock: number;
  readonly results: readonly Result[];
}

/** Notes the circumstances; the returned function ends the run. */
export function beginRun(pairs: number, secondsPerBlock: number): (results: readonly Result[]) => Run {
  const startedAt = new Date().toISOString();
  const [loadBefore = 0] = loadavg();
  return (results) => {
    const [loadAfter = 0] = loadavg();
    const machine = { node: process.version, cores: availableParallelism(), loadBefore, loadAfter };
    return { startedAt, ...machine, pairs, secondsPerBlock, results };
  };
}

export function resultOf({ title, aim, subject, limit }: Comparison, pairs: readonly Pair[]): Result {
  return {
    title: `${title} beside ${limit.name}`,
    aim,
    ratio: spreadOf(pairs.map((pair) => rateOf(pair.subject) / rateOf(pair.limit))),
    cpuRatio: spreadOf(pairs.map((pair) => cpuOf(pair.limit) / cpuOf(pair.subject))),
    service: figuresOf(
      subject.name,
      pairs.map((pair) => pair.subject),
    ),
    limit: figuresOf(
      limit.name,
      pairs.map((pair) => pair.limit),
    ),
  };
}

function figuresOf(name: string, blocks: readonly Block[]): SideFigures {
  const median = (figure: (block: Block) => number) => spreadOf(blocks.map(figure)).median;
  return {
    name,
    perSecond: median(rateOf),
    cpuShare: median((block) => block.cpuSeconds / block.seconds),
    cpuMicroseconds: median(cpuOf),
  };
}

function rateOf({ requests, seconds }: Block): number {
  return requests / seconds;
}

function cpuOf({ cpuSeconds, requests }: Block): number {
  return (1e6 * cpuSeconds) / requests;
}

export function spreadOf(figures: readonly number[]): Spread {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  return { median, min: sorted[0]!, max: sorted.at(-1)! };
}
