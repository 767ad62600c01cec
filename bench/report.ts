import type { FigureResult, Result, Run, SideFigures } from './results.ts';

export const TABLE_HEAD = [
  'What',
  'Ratio',
  'Min–max',
  'Of CPU',
  'Aim',
  'Met',
  'Service /s',
  'CPU',
  'µs CPU',
  'Limit /s',
  'CPU',
  'µs CPU',
];

export const FIGURES_HEAD = ['What', 'Value', 'Aim, at most', 'Met', 'How'];

/** Formats the results as a Markdown table with one row per comparison. */
export function table(results: readonly Result[]): string {
  return markdown(TABLE_HEAD, results.map(rowOf));
}

/** The columns of performance.md. The page performance.html has all of them. */
const SHORT_COLUMNS = [0, 1, 3, 4, 5, 6, 9];

/** Formats the results as a Markdown table without the range of the ratio and the use of CPU of both sides. */
export function shortTable(results: readonly Result[]): string {
  const short = (cells: readonly string[]) => SHORT_COLUMNS.map((column) => cells[column]!);
  return markdown(
    short(TABLE_HEAD),
    results.map((result) => short(rowOf(result))),
  );
}

/** Formats the figures as a Markdown table. */
export function figuresTable(figures: readonly FigureResult[]): string {
  return markdown(FIGURES_HEAD, figures.map(figureRowOf));
}

export function figureRowOf({ title, value, unit, aim, detail }: FigureResult): string[] {
  return [title, `${shown(value)} ${unit}`, `${aim} ${unit}`, yesOrNo(value <= aim), detail];
}

function yesOrNo(is: boolean): string {
  return is ? 'yes' : 'no';
}

function shown(value: number): string {
  return value.toFixed(value < 10 ? 2 : 0);
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map((_, index) => (index === 0 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** Describes the conditions of a run in one sentence. */
export function circumstances({ startedAt, node, cores, loadBefore, loadAfter, pairs, secondsPerBlock }: Run): string {
  const load = `${loadBefore.toFixed(1)} before and ${loadAfter.toFixed(1)} after`;
  return `${startedAt.slice(0, 16).replace('T', ' ')} UTC, Node ${node}, ${cores} cores, load average ${load}; ${pairs} pairs of ${secondsPerBlock} s.`;
}

export function rowOf({ title, aim, aimIsForCpu, ratio, cpuRatio, service, limit }: Result): string[] {
  return [
    title,
    ratio.median.toFixed(2),
    `${ratio.min.toFixed(2)}–${ratio.max.toFixed(2)}`,
    cpuRatio.toFixed(2),
    aimIsForCpu ? `${aim.toFixed(2)} of CPU` : aim.toFixed(2),
    yesOrNo((aimIsForCpu ? cpuRatio : ratio.median) >= aim),
    ...cellsOf(service),
    ...cellsOf(limit),
  ];
}

/** Returns the medians of requests per second, CPU usage in percent of a core, and CPU time per request in microseconds. */
function cellsOf({ perSecond, cpuShare, cpuMicroseconds }: SideFigures): string[] {
  return [String(Math.round(perSecond)), `${Math.round(100 * cpuShare)} %`, cpuMicroseconds.toFixed(0)];
}
