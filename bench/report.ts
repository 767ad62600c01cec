import type { Block, Comparison, Pair } from './compare.ts';

/** The middle of some figures, their least and their greatest. */
interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

const HEAD = ['What', 'Ratio', 'Min–max', 'Aim', 'Service /s', 'CPU', 'µs CPU', 'Limit /s', 'CPU', 'µs CPU'];

/** The results as a Markdown table, one row per comparison. */
export function table(results: readonly (readonly [Comparison, readonly Pair[]])[]): string {
  const rows = results.map(([comparison, pairs]) => rowOf(comparison, pairs));
  return [HEAD, HEAD.map((_, index) => (index === 0 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function rowOf({ title, aim, limit }: Comparison, pairs: readonly Pair[]): string[] {
  const ratio = spreadOf(pairs.map((pair) => rateOf(pair.subject) / rateOf(pair.limit)));
  return [
    `${title} beside ${limit.name}`,
    ratio.median.toFixed(3),
    `${ratio.min.toFixed(3)}–${ratio.max.toFixed(3)}`,
    aim.toFixed(2),
    ...figuresOf(pairs.map((pair) => pair.subject)),
    ...figuresOf(pairs.map((pair) => pair.limit)),
  ];
}

/** Requests per second, the share of its core that the process used, and its CPU time per request. */
function figuresOf(blocks: readonly Block[]): string[] {
  const median = (figure: (block: Block) => number) => spreadOf(blocks.map(figure)).median;
  return [
    String(Math.round(median(rateOf))),
    `${Math.round(100 * median((block) => block.cpuSeconds / block.seconds))} %`,
    median((block) => (1e6 * block.cpuSeconds) / block.requests).toFixed(0),
  ];
}

function rateOf({ requests, seconds }: Block): number {
  return requests / seconds;
}

function spreadOf(figures: readonly number[]): Spread {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  return { median, min: sorted[0]!, max: sorted.at(-1)! };
}
