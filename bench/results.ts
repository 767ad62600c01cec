// The results of a benchmark run as data, for the table, the page and comparisons of runs.
import { availableParallelism, loadavg } from 'node:os';
import type { Block, Comparison, Pair } from './compare.ts';

/** Median, minimum and maximum of numbers. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** The medians of one side. */
export interface SideFigures {
  readonly name: string;
  readonly perSecond: number;
  /** Share of its core that the process used. */
  readonly cpuShare: number;
  /** CPU time per request, in microseconds. */
  readonly cpuMicroseconds: number;
}

/** A figure without a limit program: a time, a size, or a ratio of latencies. */
export interface FigureResult {
  readonly title: string;
  readonly value: number;
  readonly unit: string;
  /** The greatest value that meets the target. */
  readonly aim: number;
  /** How the value was measured. */
  readonly detail: string;
}

export interface Result {
  readonly title: string;
  /** Target of the ratio, at least. */
  readonly aim: number;
  /** See Comparison. */
  readonly aimIsForCpu: boolean;
  /** Ratio of the service's rate to the limit's rate, over the pairs. */
  readonly ratio: Spread;
  /**
   * Ratio of the limit's CPU time per request to the service's, each over all pairs: the ratio of rates on an otherwise
   * idle machine.
   */
  readonly cpuRatio: number;
  readonly service: SideFigures;
  readonly limit: SideFigures;
  /** Share of the core that other programs used meanwhile. */
  readonly othersShare: number;
  /** See Comparison. */
  readonly floor?: number | undefined;
}

/** The conditions of a run, which are needed to interpret the results. */
export interface Run {
  readonly startedAt: string;
  readonly node: string;
  readonly cores: number;
  /** Load averages of one minute before and after the run. If they exceed the number of cores, the rates are noise. */
  readonly loadBefore: number;
  readonly loadAfter: number;
  readonly pairs: number;
  readonly secondsPerBlock: number;
  readonly results: readonly Result[];
  readonly figures: readonly FigureResult[];
}

/** Records the conditions at the start. The returned function records those at the end. */
export function beginRun(
  pairs: number,
  secondsPerBlock: number,
): (results: readonly Result[], figures: readonly FigureResult[]) => Run {
  const startedAt = new Date().toISOString();
  const [loadBefore = 0] = loadavg();
  // Before the bench leaves a core to the service.
  const cores = availableParallelism();
  return (results, figures) => {
    const [loadAfter = 0] = loadavg();
    const machine = { node: process.version, cores, loadBefore, loadAfter };
    return { startedAt, ...machine, pairs, secondsPerBlock, results, figures };
  };
}

export function resultOf(
  { title, aim, aimIsForCpu = false, floor, subject, limit }: Comparison,
  pairs: readonly Pair[],
): Result {
  return {
    title: `${title} beside ${limit.name}`,
    aim,
    aimIsForCpu,
    floor,
    ratio: spreadOf(pairs.map((pair) => rateOf(pair.subject) / rateOf(pair.limit))),
    cpuRatio: totalCpuOf(pairs.map((pair) => pair.limit)) / totalCpuOf(pairs.map((pair) => pair.subject)),
    othersShare: othersShareOf(pairs.flatMap((pair) => [pair.subject, pair.limit])),
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

function othersShareOf(blocks: readonly Block[]): number {
  return sumOf(blocks, 'othersSeconds') / sumOf(blocks, 'seconds');
}

function rateOf({ requests, seconds }: Block): number {
  return requests / seconds;
}

function cpuOf({ cpuSeconds, requests }: Block): number {
  return (1e6 * cpuSeconds) / requests;
}

function totalCpuOf(blocks: readonly Block[]): number {
  return sumOf(blocks, 'cpuSeconds') / sumOf(blocks, 'requests');
}

function sumOf(blocks: readonly Block[], figure: keyof Block): number {
  return blocks.reduce((total, block) => total + block[figure], 0);
}

export function spreadOf(figures: readonly number[]): Spread {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  return { median, min: sorted[0]!, max: sorted.at(-1)! };
}
