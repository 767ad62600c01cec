import type { Result, Run, SideFigures } from './results.ts';

export const TABLE_HEAD = [
  'What',
  'Ratio',
  'Min–max',
  'Of CPU',
  'Aim',
  'Service /s',
  'CPU',
  'µs CPU',
  'Limit /s',
  'CPU',
  'µs CPU',
];

/** Formats the results as a Markdown table with one row per comparison. */
export function table(results: readonly Result[]): string {
  return [TABLE_HEAD, TABLE_HEAD.map((_, index) => (index === 0 ? '---' : '---:')), ...results.map(rowOf)]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** Describes the conditions of a run in one sentence. */
export function circumstances({ startedAt, node, cores, loadBefore, loadAfter, pairs, secondsPerBlock }: Run): string {
  const load = `${loadBefore.toFixed(1)} before and ${loadAfter.toFixed(1)} after`;
  return `${startedAt.slice(0, 16).replace('T', ' ')} UTC, Node ${node}, ${cores} cores, load average ${load}; ${pairs} pairs of ${secondsPerBlock} s.`;
}

export function rowOf({ title, aim, ratio, cpuRatio, service, limit }: Result): string[] {
  return [
    title,
    ratio.median.toFixed(2),
    `${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)}`,
    cpuRatio.median.toFixed(2),
    aim.toFixed(2),
    ...cellsOf(service),
    ...cellsOf(limit),
  ];
}

/** Returns the medians of requests per second, CPU usage in percent of a core, and CPU time per request in microseconds. */
function cellsOf({ perSecond, cpuShare, cpuMicroseconds }: SideFigures): string[] {
  return [String(Math.round(perSecond)), `${Math.round(100 * cpuShare)} %`, cpuMicroseconds.toFixed(0)];
}
