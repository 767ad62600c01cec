import { expect, it } from 'vitest';
import { page, picture } from '../../bench/page.ts';
import { withResults } from '../../bench/docs.ts';
import { summarize } from '../../bench/guard.ts';
import { figuresTable, shortTable, table } from '../../bench/report.ts';
import { resultOf, type Run } from '../../bench/results.ts';

const block = (requests: number, cpuSeconds: number) => ({ requests, seconds: 2, cpuSeconds, othersSeconds: 0.5 });
const side = (name: string) => ({ name, pid: 1, load: async () => ({ requests: 0, seconds: 0 }) });
const result = resultOf({ title: 'GET /a <b>', aim: 0.5, subject: side('service'), limit: side('by hand') }, [
  { subject: block(100, 1), limit: block(100, 0.5) },
  { subject: block(50, 1), limit: block(200, 0.5) },
  { subject: block(80, 1), limit: block(100, 0.5) },
]);
const run: Run = {
  startedAt: '2026-01-02T03:04:05.000Z',
  node: 'v26.0.0',
  cores: 2,
  loadBefore: 0.5,
  loadAfter: 1,
  pairs: 3,
  secondsPerBlock: 2,
  results: [result],
  figures: [{ title: 'Start', value: 0.734, unit: 's', aim: 0.8, detail: 'median of 5' }],
};

it('returns median, minimum and maximum of the pairs, for rates and CPU times', () => {
  expect(result.ratio).toEqual({ median: 0.8, min: 0.25, max: 1 });
  // 1.5 s of 400 requests beside 3 s of 230.
  expect(result.cpuRatio).toBeCloseTo(1.5 / 400 / (3 / 230));
  expect(result.othersShare).toBe(0.25);
  expect(result.service).toEqual({ name: 'service', perSecond: 40, cpuShare: 0.5, cpuMicroseconds: 12_500 });
});

it('writes a row of the table', () => {
  expect(table([result]).split('\n').at(-1)).toBe(
    '| GET /a <b> beside by hand | 0.80 | 0.25–1.00 | 0.29 | 0.50 | yes | 40 | 50 % | 12500 | 50 | 25 % | 5000 |',
  );
});

it('leaves out the range and the use of CPU in the short table', () => {
  expect(shortTable([result]).split('\n').at(-1)).toBe(
    '| GET /a <b> beside by hand | 0.80 | 0.29 | 0.50 | yes | 40 | 50 |',
  );
});

it('decides an aim by the rate, or by the CPU time if it is for that', () => {
  expect(table([{ ...result, aim: 0.9 }])).toContain('| 0.90 | no |');
  expect(table([{ ...result, aim: 0.29, aimIsForCpu: true }])).toContain('| 0.29 of CPU | no |');
  expect(table([{ ...result, aim: 0.28, aimIsForCpu: true }])).toContain('| 0.28 of CPU | yes |');
});

it('fails a row below its floor', () => {
  const fast = { ...result, floor: 0.28 };
  const slow = { ...result, floor: 0.5 };
  expect(summarize([fast, result])).toEqual({ passed: 2, failed: 0, skipped: 0, failures: [] });
  const reason = 'GET /a <b> beside by hand: ratio of CPU times 0.29, floor 0.5; other programs used 25 % of the core';
  expect(summarize([fast, slow])).toEqual({
    passed: 1,
    failed: 1,
    skipped: 0,
    failures: [{ file: 'bench', test: 'GET /a <b> beside by hand', reason }],
  });
});

it('shows a figure in its table and on the page', () => {
  const row = '| Start | 0.73 s | 0.8 s | yes | median of 5 |';
  expect(figuresTable(run.figures).split('\n').at(-1)).toBe(row);
  expect(page(run)).toContain('<td>Start</td><td>0.73 s</td>');
});

it('creates a page without external files, with escaped texts and the conditions', () => {
  const html = page(run);
  expect(html).toContain('GET /a &lt;b&gt; beside by hand');
  expect(html).toContain(
    '2026-01-02 03:04 UTC, Node v26.0.0, 2 cores, load average 0.5 before and 1.0 after; 3 pairs of 2 s.',
  );
  expect(html).not.toMatch(/<script|<link|src=|href=|url\(/);
});

it('draws a bar with the ratio as its length, on a scale up to the aim', () => {
  const svg = picture({ ...run, results: [{ ...result, aim: 2 }] });
  const [, width] = /height="20" fill/.test(svg) ? (/<rect x="420" y="6" width="([\d.]+)"/.exec(svg) ?? []) : [];
  expect(Number(width)).toBeCloseTo((0.8 / 2) * (900 - 420 - 90), 0);
});

it('replaces the results on a page, also those of an earlier run', () => {
  const empty = 'Before\n<!-- Written by npm run bench -- --docs: begin -->\n<!-- end -->\nAfter\n';
  const written = withResults(empty, run);
  expect(written).toMatch(/^Before\n<!-- Written/);
  expect(written).toContain(shortTable([result]));
  expect(written).toContain(figuresTable(run.figures));
  expect(written).toMatch(/<!-- end -->\nAfter\n$/);
  expect(withResults(written, run)).toBe(written);
  expect(() => withResults('Before', run)).toThrow('no marks');
});
