// SQLite files that another process locks.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

const PROCESS = new URL('lock-process.ts', import.meta.url);
const holders = new Set<ChildProcess>();

export interface FileLock {
  /** Releases the lock and resolves when the other process has ended. */
  release(): Promise<void>;
  /** Kills the other process by SIGKILL and resolves when it has ended. */
  kill(): Promise<void>;
}

/** Starts a process that locks the file of a `sqlite:` URL with statements such as `BEGIN IMMEDIATE`. */
export async function lockFile(url: string, statements: string): Promise<FileLock> {
  const holder = fork(PROCESS, [url.slice('sqlite:'.length), statements], { execArgv: [] });
  holders.add(holder);
  const ended = once(holder, 'exit').then(() => void holders.delete(holder));
  await once(holder, 'message');
  return {
    release() {
      holder.send('let go');
      return ended;
    },
    kill() {
      holder.kill('SIGKILL');
      return ended;
    },
  };
}

/** Kills all processes that still hold a lock. For afterEach. */
export function endFileLocks(): void {
  for (const holder of holders) holder.kill('SIGKILL');
}
