// Programs under measurement: pinned to a core, and ended with the bench, however that ends.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface Program {
  readonly pid: number;
  /** Where it is reached, as its own output told. */
  readonly url: string;
  /** A folder of its own, its working directory, deleted with it. */
  readonly directory: string;
  stop(): Promise<void>;
}

export interface ProgramOptions {
  /** The CPU that all its threads share. */
  readonly core: number;
  readonly command: (directory: string) => readonly string[];
  /** Finds the URL in a line of its output, which it prints once it is ready. */
  readonly urlIn: (line: string) => string | undefined;
}

/** Where programs are looked for; Debian keeps servers where only root looks. */
export const SEARCH_PATH = `${process.env['PATH']}:/usr/local/sbin:/usr/sbin:/sbin`;

const START_LIMIT_MS = 30_000;

// Ends the program as soon as standard input ends, which it does with the bench, and deletes its folder. TERM, not KILL: a
// program that was told to write a profile writes it when it leaves.
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

/** Starts a program and waits until it is ready. Rejects with its output where it does not become so. */
export async function startProgram({ core, command, urlIn }: ProgramOptions): Promise<Program> {
  const directory = mkdtempSync(join(tmpdir(), 'bench-'));
  const argv = ['taskset', '-c', String(core), ...commandIn(directory, command)];
  // A session of its own, so that Ctrl-C reaches the bench alone, whose end the guard then sees; and no settings of ours.
  const env = { PATH: SEARCH_PATH };
  const guard = spawn('sh', ['-c', GUARD, 'sh', directory, ...argv], { detached: true, stdio: 'pipe', env });
  const exited = new Promise<void>((resolve) => guard.once('exit', () => resolve()));
  const stop = async () => {
    guard.stdin.end();
    await exited;
  };

  const output: string[] = [];
  const { promise: ready, resolve, reject } = Promise.withResolvers<{ pid: number; url: string }>();
  const fail = (reason: string) => reject(new Error(`${reason}: ${argv.join(' ')}\n${output.join('\n')}`));
  const limit = setTimeout(fail, START_LIMIT_MS, 'not ready in time');
  let pid: number | undefined;
  const read = (line: string) => {
    output.push(line);
    const url = urlIn(line);
    if (url !== undefined && pid !== undefined) resolve({ pid, url });
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

/** CPU time that a process has used, all its threads together, in seconds (proc(5), stat fields 14 and 15). */
export function cpuSeconds(pid: number): number {
  const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(afterName[11]) + Number(afterName[12])) / TICKS_PER_SECOND;
}

// USER_HZ, the same on every Linux that Node runs on.
const TICKS_PER_SECOND = 100;
