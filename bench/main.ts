// How fast the service is beside a limit that does only what cannot be avoided, on one core each. See docs/performance.md.
import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { compare, type Comparison, type Pair } from './compare.ts';
import { ENGINES, withComparisons, type Engine } from './comparisons.ts';
import { table } from './report.ts';

const USAGE = `npm run bench -- [options]
  --engine mariadb|sqlite|all   database of the service (all)
  --pairs N                     blocks of each side (7)
  --seconds N                   length of a block (3)
  --connections N               connections of the load generator (32)
  --profile FOLDER              keep CPU profiles of the service there`;

/** Programs that are not npm's to install, and the Debian package of each. */
const NEEDED = { taskset: 'util-linux', wrk: 'wrk', mariadbd: 'mariadb-server' };

const { values } = parseArgs({
  options: {
    engine: { type: 'string', default: 'all' },
    pairs: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '32' },
    profile: { type: 'string' },
  },
});
const engines: readonly Engine[] = ENGINES.filter((engine) => values.engine === 'all' || values.engine === engine);
const [pairs, seconds, connections] = [values.pairs, values.seconds, values.connections].map(Number) as [
  number,
  number,
  number,
];
if (engines.length === 0 || ![pairs, seconds, connections].every((count) => Number.isInteger(count) && count > 0))
  stop(USAGE);
if (availableParallelism() < 2) stop('Two cores are needed: one for the server, one for the load and the database.');
for (const [program, debianPackage] of Object.entries(NEEDED)) {
  if (!isInstalled(program)) stop(`${program} was not found. Debian: apt-get install ${debianPackage}`);
}

const results: [Comparison, Pair[]][] = [];
for (const engine of engines) {
  await withComparisons(engine, { connections, profileFolder: values.profile }, async (comparison) => {
    process.stderr.write(`${comparison.title}: ${pairs} pairs of ${seconds} s …\n`);
    results.push([comparison, await compare(comparison, pairs, seconds)]);
  });
}
process.stdout.write(`${table(results)}\n`);

function isInstalled(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function stop(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
