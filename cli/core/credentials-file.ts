// The file with the logins of this user, one for each core. Readable only by its owner.
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT } from '../exit-codes.ts';
import { CommandFailure } from '../failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Target } from './connection-options.ts';

/** A session on a core. */
export interface Login extends Target {
  readonly username: string;
  readonly accessToken: string;
  /** ISO 8601. */
  readonly accessTokenExpiresAt: string;
  readonly refreshCookie: string;
}

export interface CredentialsFile {
  readonly path: string;
  /** The login at a core; without a core, the newest one. */
  find(core: string | undefined): Login | undefined;
  /** Stores a login as the newest one. */
  save(login: Login): void;
  remove(core: string): void;
  /** Runs work while no other process changes the file. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
}

/** The newest login is the last one. */
type Content = { readonly logins: readonly Login[] };

const OTHERS = 0o077;
const LOCK_LIMIT_MS = 20_000;
const LOCK_POLL_MS = 50;

export function credentialsFile({ env }: Pick<Terminal, 'env'>): CredentialsFile {
  const configFolder = env['XDG_CONFIG_HOME'] ?? join(env['HOME'] ?? homedir(), '.config');
  const path = env['AUTHSERVICE_CREDENTIALS'] ?? join(configFolder, 'authservice', 'credentials.json');
  const read = (): readonly Login[] => {
    try {
      if ((statSync(path).mode & OTHERS) !== 0)
        throw new CommandFailure(`${path} can be read by other users; run: chmod 600 ${path}`, EXIT.credential);
      return (JSON.parse(readFileSync(path, 'utf8')) as Content).logins;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      if (error instanceof SyntaxError)
        throw new CommandFailure(`${path} is damaged; delete it and log in again`, EXIT.credential);
      throw error;
    }
  };
  const write = (logins: readonly Login[]) => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, `${JSON.stringify({ logins }, undefined, 2)}\n`, { mode: 0o600 });
    chmodSync(draft, 0o600);
    renameSync(draft, path);
  };
  const without = (core: string) => read().filter((login) => login.core !== core);
  return {
    path,
    find: (core) => read().findLast((login) => core === undefined || login.core === core),
    save: (login) => write([...without(login.core), login]),
    remove: (core) => write(without(core)),
    exclusively: (work) => withLock(path, work),
  };
}

/** A folder is created by one process only. One that is older than the limit belongs to a killed process. */
async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const giveUpAt = Date.now() + 2 * LOCK_LIMIT_MS;
  while (!tryMake(lock)) {
    const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (since > 0 && Date.now() - since > LOCK_LIMIT_MS) rmSync(lock, { recursive: true, force: true });
    else if (Date.now() > giveUpAt) throw new CommandFailure(`${lock} is held by another process`, EXIT.credential);
    else await sleep(LOCK_POLL_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function tryMake(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
