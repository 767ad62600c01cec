// A self-contained page with the results of a run: a chart of the ratios, and the table.
import { circumstances, figureRowOf, FIGURES_HEAD, rowOf, TABLE_HEAD } from './report.ts';
import type { Result, Run } from './results.ts';

const ROW = 34;
const LABEL = 420;
const WIDTH = 900;
const RIGHT = 90;
/** Larger ratios end at the right edge. */
const LARGEST = 4;

/**
 * Returns a chart of the ratios as SVG: a bar for the median, a line from the minimum to the maximum, and a mark for the aim. The
 * largest value determines the scale, up to a limit that leaves the other bars readable.
 */
export function picture({ results }: Run): string {
  const most = Math.min(LARGEST, Math.max(1, ...results.map(({ ratio, aim }) => Math.max(ratio.median, aim))));
  const x = (ratio: number) => LABEL + (Math.min(ratio, most) / most) * (WIDTH - LABEL - RIGHT);
  const height = results.length * ROW + 30;
  const one = line(x(1), 0, x(1), height - 24, 'stroke="#999" stroke-dasharray="3 3"');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="13">`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    one,
    ...results.map((result, index) => bar(result, index * ROW + 6, x)),
    text(LABEL, height - 8, 'requests per second of the service, those of its limit being 1; red: the aim'),
    '</svg>',
  ].join('\n');
}

function bar({ title, ratio, aim }: Result, y: number, x: (ratio: number) => number): string {
  const middle = y + 10;
  return [
    text(LABEL - 8, middle + 4, title, 'text-anchor="end"'),
    `<rect x="${LABEL}" y="${y}" width="${(x(ratio.median) - LABEL).toFixed(1)}" height="20" fill="#3b6ea5"/>`,
    line(x(ratio.min), middle, x(ratio.max), middle, 'stroke="#111" stroke-width="2"'),
    line(x(aim), y - 2, x(aim), y + 22, 'stroke="#c22" stroke-width="3"'),
    text(Math.max(x(ratio.median), x(aim)) + 8, middle + 4, ratio.median.toFixed(2)),
  ].join('');
}

function line(x1: number, y1: number, x2: number, y2: number, style: string): string {
  const [a, b, c, d] = [x1, y1, x2, y2].map((value) => value.toFixed(1));
  return `<line x1="${a}" y1="${b}" x2="${c}" y2="${d}" ${style}/>`;
}

function text(x: number, y: number, content: string, more = ''): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${escaped(content)}</text>`;
}

/** Returns the page as HTML. It has no scripts and loads no files. */
export function page(run: Run): string {
  const cells = (tag: string, values: readonly string[]) =>
    `<tr>${values.map((value) => `<${tag}>${escaped(value)}</${tag}>`).join('')}</tr>`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Performance</title>
<style>
body { font: 15px/1.5 sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse } td, th { padding: .2rem .6rem; border-bottom: 1px solid #ddd; text-align: right }
td:first-child, th:first-child { text-align: left }
</style>
<h1>Performance</h1>
<p>${escaped(circumstances(run))} Above ${run.cores} in the load average, other work took part of the cores: then only the ratio of CPU
times counts. What the columns mean is in docs/performance.md.</p>
${picture(run)}
<table>
${cells('th', TABLE_HEAD)}
${run.results.map((result) => cells('td', rowOf(result))).join('\n')}
</table>
<table>
${cells('th', FIGURES_HEAD)}
${run.figures.map((figure) => cells('td', figureRowOf(figure))).join('\n')}
</table>
</html>
`;
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
