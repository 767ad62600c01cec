import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import type { Engine } from './stand.ts';
import { SEARCH_PATH } from './program.ts';

/** Required programs and their Debian packages. npm does not install them. */
const PROGRAMS = { taskset: 'util-linux', wrk: 'wrk' };
const MARIADB = { mariadbd: 'mariadb-server', 'mariadb-install-db': 'mariadb-server' };

/** Returns the unmet requirements of the benchmark, each with an instruction. Empty if all are met. */
export function missing(engines: readonly Engine[]): string[] {
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
