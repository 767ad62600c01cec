// How fast the service is beside a limit that does only what cannot be avoided, one core for each. See docs/performance.md.
import { parseArgs } from 'node:util';
import { compare, type Comparison, type Pair } from './compare.ts';
import { ENGINES, withComparisons } from './comparisons.ts';
import { missing } from './requirements.ts';
import { table } from './report.ts';

const USAGE = `npm run bench -- [options]
  --engine mariadb|sqlite|all   database of the service (all)
  --only TEXT                   comparisons whose title has this text, such as verify
  --pairs N                     blocks of each side (7)
  --seconds N                   length of a block (3)
  --connections N               connections of the load generator (32)`;

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'all' },
    only: { type: 'string', default: '' },
    pairs: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '32' },
  },
});
const engines = ENGINES.filter((engine) => values.engine === 'all' || values.engine === engine);
const numbers = [values.pairs, values.seconds, values.connections].map(Number);
const [pairs, seconds, connections] = numbers as [number, number, number];
if (engines.length === 0 || !numbers.every((number) => Number.isInteger(number) && number > 0)) stop([USAGE]);
const problems = missing(engines);
if (problems.length > 0) stop(problems);

const results: [Comparison, Pair[]][] = [];
for (const engine of engines) {
  await withComparisons(engine, { connections }, async (comparison) => {
    if (!comparison.title.includes(values.only)) return;
    process.stderr.write(`${comparison.title}: ${pairs} pairs of ${seconds} s …\n`);
    results.push([comparison, await compare(comparison, pairs, seconds)]);
  });
}
process.stdout.write(`${table(results)}\n`);

function stop(lines: readonly string[]): never {
  process.stderr.write(`${lines.join('\n')}\n`);
  process.exit(2);
}
