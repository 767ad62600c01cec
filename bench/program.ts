// The measured programs. Each is pinned to a CPU core and ends with the benchmark, even if the benchmark is killed.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The CPU core of the measured program, and that of the load and the database. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

export interface Program {
  readonly pid: number;
  /** URL, read from the program's output. */
  readonly url: string;
  /** The line of output that contains it. */
  readonly readyLine: string;
  /** Working directory, used by this program only. Deleted when the program ends. */
  readonly directory: string;
  stop(): Promise<void>;
}

export interface ProgramOptions {
  /** The CPU core that all threads share, or a list of cores such as `0,1`. */
  readonly core: number | string;
  readonly command: (directory: string) => readonly string[];
  /** Default: 30 s. */
  readonly startLimitMs?: number;
  /** Environment beside PATH. */
  readonly env?: Readonly<Record<string, string>>;
  /** Returns the URL in a line of output. The program prints it when it is ready. */
  readonly urlIn: (line: string) => string | undefined;
}

/** PATH of the programs. Debian installs servers in folders that are only in root's PATH. */
export const SEARCH_PATH = `${process.env['PATH']}:/usr/local/sbin:/usr/sbin:/sbin`;

const START_LIMIT_MS = 30_000;

// Ends the program when standard input ends, which happens when the benchmark ends, and deletes its folder. With TERM instead of
// KILL, because a program writes its CPU profile when it exits.
const GUARD = `exec 3<&0
cd "$1" || exit 1; shift
"$@" </dev/null 3<&- &
program=$!
echo $program
exec >/dev/null 2>&1
{ read -r end; kill -TERM $program; } <&3 &
reader=$!
wait $program
kill $reader
rm -rf "$PWD"`;

/** Starts a program and waits until it is ready. Rejects with its output if it fails or is not ready in time. */
export async function startProgram(options: ProgramOptions): Promise<Program> {
  const { core, command, startLimitMs = START_LIMIT_MS, env: added, urlIn } = options;
  const directory = mkdtempSync(join(tmpdir(), 'bench-'));
  const argv = ['taskset', '-c', String(core), ...commandIn(directory, command)];
  // Detached, so that Ctrl-C reaches only the benchmark. The guard then ends the program. No settings from the environment.
  const env = { PATH: SEARCH_PATH, ...added };
  const guard = spawn('sh', ['-c', GUARD, 'sh', directory, ...argv], { detached: true, stdio: 'pipe', env });
  const exited = new Promise<void>((resolve) => guard.once('exit', () => resolve()));
  const stop = async () => {
    guard.stdin.end();
    await exited;
  };

  const output: string[] = [];
  const { promise: ready, resolve, reject } = Promise.withResolvers<Pick<Program, 'pid' | 'url' | 'readyLine'>>();
  const fail = (reason: string) => reject(new Error(`${reason}: ${argv.join(' ')}\n${output.join('\n')}`));
  const limit = setTimeout(fail, startLimitMs, 'not ready in time');
  let pid: number | undefined;
  const read = (line: string) => {
    output.push(line);
    const url = urlIn(line);
    if (url !== undefined && pid !== undefined) resolve({ pid, url, readyLine: line });
  };
  createInterface(guard.stdout).on('line', (line) => (pid === undefined ? (pid = Number(line)) : read(line)));
  createInterface(guard.stderr).on('line', read);
  guard.once('error', (error) => fail(error.message));
  guard.once('exit', () => fail('ended at its start'));
  try {
    return { ...(await ready), directory, stop };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    clearTimeout(limit);
  }
}

function commandIn(directory: string, command: ProgramOptions['command']): readonly string[] {
  try {
    return command(directory);
  } catch (error) {
    rmSync(directory, { recursive: true });
    throw error;
  }
}

/** Returns the CPU time of all threads of a process, in seconds (proc(5), stat fields 14 and 15). */
export function cpuSeconds(pid: number): number {
  const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(afterName[11]) + Number(afterName[12])) / TICKS_PER_SECOND;
}

/** Returns the time that a CPU core has been in use, in seconds. */
export function busySeconds(core: number): number {
  const { user, nice, sys, irq } = cpus()[core]!.times;
  return (user + nice + sys + irq) / 1_000;
}

// USER_HZ, the same on every Linux that Node runs on.
const TICKS_PER_SECOND = 100;
