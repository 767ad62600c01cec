// Compares the throughput of the service with that of limits, which do only the unavoidable work. Each has one CPU core. See
// docs/performance.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compare } from './compare.ts';
import { withComparisons } from './comparisons.ts';
import { page, picture } from './page.ts';
import { circumstances, table } from './report.ts';
import { missing } from './requirements.ts';
import { beginRun, resultOf, type Result, type Run } from './results.ts';
import { ENGINES } from './stand.ts';

const USAGE = `npm run bench -- [options]
  --engine mariadb|sqlite|all   database of the service (all)
  --only TEXT                   comparisons whose title has this text, such as verify
  --pairs N                     blocks of each side (7)
  --seconds N                   length of a block (3)
  --connections N               connections of the load generator (32)
  --quick                       SQLite, 3 pairs of 1 s; fails if a ratio of CPU times is below half of its aim
  --json FILE                   file for the results as JSON
  --docs                        write docs/performance.html and docs/performance.svg
  --from FILE                   read the results of an earlier --json instead of measuring`;

/** Share of the aim that --quick requires: enough to detect a regression, and not the noise of the machine. */
const QUICK_SHARE = 0.5;

const { values } = parseArgs({
  options: {
    engine: { type: 'string' },
    only: { type: 'string', default: '' },
    pairs: { type: 'string' },
    seconds: { type: 'string' },
    connections: { type: 'string', default: '32' },
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    docs: { type: 'boolean', default: false },
    from: { type: 'string' },
  },
});

const run = values.from === undefined ? await measure() : (JSON.parse(readFileSync(values.from, 'utf8')) as Run);
process.stdout.write(`${circumstances(run)}\n\n${table(run.results)}\n`);
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(run, undefined, 2)}\n`);
if (values.docs) {
  writeFileSync(new URL('../docs/performance.html', import.meta.url), page(run));
  writeFileSync(new URL('../docs/performance.svg', import.meta.url), `${picture(run)}\n`);
}
if (values.quick) {
  const lost = run.results.filter(({ cpuRatio, aim }) => cpuRatio.median < QUICK_SHARE * aim);
  if (lost.length > 0) stop(1, ['Below half of their aim:', ...lost.map(({ title }) => `  ${title}`)]);
}

async function measure(): Promise<Run> {
  const chosen = values.engine ?? (values.quick ? 'sqlite' : 'all');
  const engines = ENGINES.filter((engine) => chosen === 'all' || chosen === engine);
  const numbers = [
    values.pairs ?? (values.quick ? 3 : 7),
    values.seconds ?? (values.quick ? 1 : 3),
    values.connections,
  ];
  const [pairs, seconds, connections] = numbers.map(Number) as [number, number, number];
  const isUsable = [pairs, seconds, connections].every((number) => Number.isInteger(number) && number > 0);
  if (engines.length === 0 || !isUsable) stop(2, [USAGE]);
  const problems = missing(engines);
  if (problems.length > 0) stop(2, problems);

  const end = beginRun(pairs, seconds);
  const results: Result[] = [];
  for (const engine of engines) {
    await withComparisons(engine, { connections }, async (comparison) => {
      const { title } = comparison;
      if (!title.includes(values.only)) return;
      process.stderr.write(`${title} beside ${comparison.limit.name}: ${pairs} pairs of ${seconds} s …\n`);
      results.push(resultOf(comparison, await compare(comparison, pairs, seconds)));
    });
  }
  return end(results);
}

function stop(code: number, lines: readonly string[]): never {
  process.stderr.write(`${lines.join('\n')}\n`);
  process.exit(code);
}
