// The time of the first start.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { emptyFolder, endProcesses, FREE_PORTS, startProgram } from '../support/service-process.ts';

// Twice what is promised, for slow machines. What others took of the processor meanwhile does not count.
const START_LIMIT_MS = 4_000;

afterEach(endProcesses);

it('npm run dev is ready within the documented time, on an empty database', async () => {
  const settings = { ...FREE_PORTS, 'app.database.url': `sqlite:${join(emptyFolder(), 'data/service.db')}` };
  const service = startProgram('npm run dev', { settings });
  const { afterMs } = await service.ready();
  const waitedMs = waitedForProcessorMs(service.pid);
  expect(afterMs - waitedMs, `${Math.round(waitedMs)} ms more waiting for the processor`).toBeLessThan(START_LIMIT_MS);
});

/** How long npm and what it started have waited for a processor, one after the other. 0 where the system does not tell. */
function waitedForProcessorMs(group: number): number {
  if (!existsSync('/proc/self/schedstat')) return 0;
  const members = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && groupOf(pid) === group);
  const waits = members.map((pid) => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]));
  return waits.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e6;
}

/** The process group; undefined where the process has just ended. */
function groupOf(pid: string): number | undefined {
  try {
    // After the program's name in brackets: state, parent, group.
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[2]);
  } catch {
    return undefined;
  }
}
