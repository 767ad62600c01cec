// Password hashes do not delay the requests that the event loop serves on the same core.
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { afterAll, expect, it } from 'vitest';
import { endProcesses, FREE_PORTS, startProgram } from '../support/service-process.ts';

afterAll(endProcesses);

/** Names that may be looked up at the same time. They can take half of the pool. */
const LOOKUPS = 16;

interface Thread {
  readonly isMain: boolean;
  readonly nice: number;
}

/** Returns the threads of a process (proc_pid_stat(5), field 19). */
function threadsOf(pid: number): Thread[] {
  const folder = `/proc/${pid}/task`;
  return readdirSync(folder).map((id) => {
    const fields = readFileSync(`${folder}/${id}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return { isMain: Number(id) === pid, nice: Number(fields[16]) };
  });
}

it.runIf(process.platform === 'linux').each(['core', 'gateway'] as const)(
  'the threads of hashes in the process %s have a lower priority than its event loop',
  async (program) => {
    const service = startProgram(program, { settings: { ...FREE_PORTS, 'app.env': 'DEV' } });
    await service.ready();
    const threads = threadsOf(service.pid);
    const own = threads.find(({ isMain }) => isMain)!.nice;
    expect(threads.filter(({ nice }) => nice === own + 5)).toHaveLength(availableParallelism() + 2 * LOOKUPS);
  },
);
