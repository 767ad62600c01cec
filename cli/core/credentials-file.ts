// The file with the logins of this user, one for each core. Readable only by its owner.
import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { EXIT } from '../exit-codes.ts';
import { CommandFailure } from '../failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Target } from './connection-options.ts';
import { withFileLock } from './file-lock.ts';

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
  /** Runs work while no other process changes the file. The work may include one call with this time limit. */
  exclusively<T>(callTimeoutMs: number, work: () => Promise<T>): Promise<T>;
}

/** The newest login is the last one. */
type Content = { readonly logins: readonly Login[] };

const OTHERS = 0o077;
/** How long the lock is held beyond the call. */
const LOCK_MARGIN_MS = 10_000;

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
    exclusively(callTimeoutMs, work) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      return withFileLock(`${path}.lock`, callTimeoutMs + LOCK_MARGIN_MS, work);
    },
  };
}
