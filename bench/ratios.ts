// Compares the throughput of the service with that of limits, which do only the unavoidable work. Each has one CPU core. See
// docs/performance.md.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { installMissingTools, SPEED_TOOLS } from '../scripts/test-tools.ts';
import { compare, type Effort } from './compare.ts';
import { withComparisons } from './comparisons.ts';
import { writeDocs } from './docs.ts';
import { circumstances, figuresTable, table } from './report.ts';
import { countsLine, writeSummary } from '../scripts/test-summary.ts';
import { summarize } from './guard.ts';
import { beginRun, resultOf, type FigureResult, type Result, type Run } from './results.ts';
import { ENGINES, type Stand, type Engine } from './stand.ts';
import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { SEARCH_PATH } from './program.ts';

const USAGE = `npm run bench -- [options]
  --engine mariadb|sqlite|all   database of the service (all)
  --only TEXT                   rows whose title has this text, such as verify
  --brief                       all rows in about twelve minutes: 3 pairs of 1 s, large tables at a tenth of their size
  --quick                       SQLite, 3 pairs of 1 s, 80 s; fails if a ratio of CPU times is below its floor
  --pairs N                     blocks of each side (7)
  --seconds N                   length of a block (3)
  --connections N               connections of the load generator (32)
  --scale N                     size of large tables, as a share of the full size (1)
  --json FILE                   file for the results as JSON
  --docs                        write docs/performance.html, docs/performance.svg and the tables of docs/performance.md
  --from FILE                   read the results of an earlier --json instead of measuring`;

const FULL = { pairs: 7, seconds: 3, warmUpSeconds: 3, warmUpRequests: 20_000, scale: 1 };
const BRIEF = { ...FULL, pairs: 3, seconds: 1, warmUpSeconds: 1, scale: 0.1 };
const QUICK = { ...BRIEF, warmUpRequests: 6_000 };

/** Required programs and their Debian packages. npm does not install them. */
const PROGRAMS = { taskset: 'util-linux', wrk: 'wrk' };
const MARIADB = { mariadbd: 'mariadb-server', 'mariadb-install-db': 'mariadb-server' };

const { values } = parseArgs({
  options: {
    engine: { type: 'string' },
    only: { type: 'string', default: '' },
    brief: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    pairs: { type: 'string' },
    seconds: { type: 'string' },
    connections: { type: 'string', default: '32' },
    scale: { type: 'string' },
    json: { type: 'string' },
    docs: { type: 'boolean', default: false },
    from: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(`${USAGE}\n`);
  process.exit();
}

const run = values.from === undefined ? await measure() : (JSON.parse(readFileSync(values.from, 'utf8')) as Run);
process.stdout.write(`${circumstances(run)}\n\n${table(run.results)}\n\n${figuresTable(run.figures)}\n`);
writeJson(run);
if (values.docs) writeDocs(run);
if (values.quick) {
  const summary = summarize(run.results);
  for (const { reason } of summary.failures) process.stdout.write(`FAIL ${reason}\n`);
  writeSummary(summary);
  process.stdout.write(`${countsLine(summary)}\n`);
  if (summary.failed > 0) process.exitCode = 1;
}

async function measure(): Promise<Run> {
  const chosen = values.engine ?? (values.quick ? 'sqlite' : 'all');
  const engines = ENGINES.filter((engine) => chosen === 'all' || chosen === engine);
  const { effort, connections, scale } = amounts();
  if (engines.length === 0) stop(2, [USAGE]);
  if (values.quick) installMissingTools(SPEED_TOOLS);
  const problems = missing(engines);
  if (problems.length > 0) stop(2, problems);

  const wants: Stand['wants'] = ({ title, floor }) =>
    title.includes(values.only) && (!values.quick || floor !== undefined);
  const end = beginRun(effort.pairs, effort.seconds);
  const results: Result[] = [];
  const figures: FigureResult[] = [];
  // A run that is cut off has the rows until then.
  const save = () => writeJson(end(results, figures));
  for (const engine of engines) {
    await withComparisons(
      engine,
      { connections, scale, wants },
      {
        compare: (comparison) =>
          attempt(`${comparison.title} beside ${comparison.limit.name}`, async () => {
            results.push(resultOf(comparison, await compare(comparison, effort)));
            save();
          }),
        measure: ({ title, unit, aim, measure: take }) =>
          attempt(title, async () => {
            figures.push({ title, unit, aim, ...(await take()) });
            save();
          }),
      },
    );
  }
  return end(results, figures);
}

function amounts(): { readonly effort: Effort; readonly connections: number; readonly scale: number } {
  const defaults = values.quick ? QUICK : values.brief ? BRIEF : FULL;
  const pairs = Number(values.pairs ?? defaults.pairs);
  const seconds = Number(values.seconds ?? defaults.seconds);
  const connections = Number(values.connections);
  const scale = Number(values.scale ?? defaults.scale);
  const isUsable = [pairs, seconds, connections].every((number) => Number.isInteger(number) && number > 0);
  if (!isUsable || !(scale > 0 && scale <= 1)) stop(2, [USAGE]);
  const { warmUpSeconds, warmUpRequests } = defaults;
  return { effort: { pairs, seconds, warmUpSeconds, warmUpRequests }, connections, scale };
}

function writeJson(results: Run): void {
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, undefined, 2)}\n`);
}

/** Measures a row. A row that fails is not reported; the others are measured, and the exit code is 1. */
async function attempt(title: string, take: () => Promise<void>): Promise<void> {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${title} …\n`);
  try {
    await take();
  } catch (error) {
    process.stderr.write(`  failed: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

function stop(code: number, lines: readonly string[]): never {
  process.stderr.write(`${lines.join('\n')}\n`);
  process.exit(code);
}

/** Returns the unmet requirements of the benchmark, each with an instruction. Empty if all are met. */
function missing(engines: readonly Engine[]): string[] {
  const programs = { ...PROGRAMS, ...(engines.includes('mariadb') && MARIADB) };
  const problems = Object.entries(programs)
    .filter(([program]) => !isInstalled(program))
    .map(([program, debianPackage]) => `${program} was not found. Debian: apt-get install ${debianPackage}`);
  if (availableParallelism() < 2) problems.push('Two cores are needed: one for the server, one for load and database.');
  return problems;
}

function isInstalled(program: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore', env: { PATH: SEARCH_PATH } });
    return true;
  } catch {
    return false;
  }
}
