// SQLite files that another process has locked.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

const PROCESS = new URL('lock-process.ts', import.meta.url);
const holders = new Set<ChildProcess>();

export interface FileLock {
  /** Resolves once the other process has let go and ended. */
  release(): Promise<void>;
  /** The same by SIGKILL. */
  kill(): Promise<void>;
}

/** Lets a process of its own lock the file of a `sqlite:` URL with statements such as `BEGIN IMMEDIATE`. */
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

/** Kills whoever still holds a lock: for afterEach. */
export function endFileLocks(): void {
  for (const holder of holders) holder.kill('SIGKILL');
}
