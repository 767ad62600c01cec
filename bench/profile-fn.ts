// Prints the CPU time of the service under load by module: `npx node bench/profile.ts me|verify|refresh|products mariadb|sqlite`.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Profiler } from 'node:inspector';
import type { Comparison } from './compare.ts';
import { withComparisons } from './comparisons.ts';
import { ENGINES, type Engine } from './stand.ts';

const WARM_UP_SECONDS = 3;
const SECONDS = 6;
const MODULES_SHOWN = 110;
/** V8's name for idle time. */
const IDLE = '(idle)';
const ROOT = new URL('..', import.meta.url).href;

const [endpoint, engineName] = process.argv.slice(2);
const engine = ENGINES.find((name) => name === engineName);
if (engine === undefined || endpoint === undefined)
  throw new Error('profile.ts me|verify|refresh|products mariadb|sqlite');
process.stdout.write(await profile(endpoint, engine));

async function profile(name: string, on: Engine): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-profile-'));
  try {
    let from = 0;
    let to = 0;
    let requests = 0;
    // Not the row of a refresh with many sessions, which are seeded for minutes.
    const isChosen = ({ title }: { readonly title: string }) => title.includes(`/${name}, ${on}`);
    const options = { connections: 32, scale: 1, wants: isChosen, profileFolder: folder };
    const compare = async ({ subject }: Comparison) => {
      await subject.load(WARM_UP_SECONDS);
      from = microseconds();
      requests = (await subject.load(SECONDS)).requests;
      to = microseconds();
    };
    await withComparisons(on, options, { compare, measure: async () => {} });
    const file = join(folder, readdirSync(folder)[0]!);
    const recorded = JSON.parse(readFileSync(file, 'utf8')) as Profiler.Profile;
    return tableOf(selfTimes(recorded, from, to), requests);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns the time of the clock that profiles use: monotonic, the same for all processes. */
function microseconds(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

/** Returns the self time of each module between two times, in microseconds, without idle time. */
function selfTimes(recorded: Profiler.Profile, from: number, to: number): Map<string, number> {
  const modules = new Map(recorded.nodes.map(({ id, callFrame }) => [id, moduleOf(callFrame)]));
  const times = new Map<string, number>();
  let now = recorded.startTime;
  for (const [index, id] of recorded.samples!.entries()) {
    const delta = recorded.timeDeltas![index]!;
    now += delta;
    if (now < from || now > to) continue;
    const name = modules.get(id)!;
    if (name === IDLE) continue;
    times.set(name, (times.get(name) ?? 0) + delta);
  }
  return times;
}

/** Returns the name of a package, of a file of this project, of a module of Node, or of a function of V8. */
function moduleOf({ url, functionName }: Profiler.Profile['nodes'][number]['callFrame']): string {
  return (url.startsWith(ROOT) ? url.slice(ROOT.length) : url) + ' ' + functionName;
}

function tableOf(times: ReadonlyMap<string, number>, requests: number): string {
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  const lines = [...times]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MODULES_SHOWN)
    .map(([name, time]) => `| ${name} | ${(time / requests).toFixed(1)} | ${((100 * time) / total).toFixed(1)} % |\n`);
  return `| Module | µs per request | Share |\n| --- | ---: | ---: |\n${lines.join('')}`;
}
