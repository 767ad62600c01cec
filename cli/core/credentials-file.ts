// The file with the logins of this user, one for each core. Readable only by its owner.
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
  readdirSync,
  rmdirSync,
  rmSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { readText } from '../../src/platform/read-text.ts';
import { EXIT, CommandFailure } from '../failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Target } from './connection-options.ts';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** A session on a core. */
export interface Login extends Target {
  readonly username: string;
  readonly accessToken: string;
  /** ISO 8601. */
  readonly accessTokenExpiresAt: string;
  /** Of a login by the password. */
  readonly refreshCookie?: string;
  /** Of a login by the browser, as the application of the command line. */
  readonly refreshToken?: string;
}

export interface CredentialsFile {
  readonly path: string;
  /** The core of commands without --core. Only `use` changes it; the first login sets it. */
  current(): string | undefined;
  /** Makes a core the current one. */
  use(core: string): void;
  /** All logins, the oldest first. */
  list(): readonly Login[];
  find(core: string): Login | undefined;
  save(login: Login): void;
  /** Removes a login. The current core stays, so that the next command does not run on another core. */
  remove(core: string): void;
  /** Runs work while no other process changes the file. The work may include one call with this time limit. */
  exclusively<T>(callTimeoutMs: number, work: () => Promise<T>): Promise<T>;
}

interface Content {
  readonly current: string | undefined;
  readonly logins: readonly Login[];
}

const OTHERS = 0o077;
/** How long the lock is held beyond the call. */
const LOCK_MARGIN_MS = 10_000;

export function credentialsFile({ env, callerFolder }: Pick<Terminal, 'env' | 'callerFolder'>): CredentialsFile {
  const configFolder = env['XDG_CONFIG_HOME'] ?? join(env['HOME'] ?? homedir(), '.config');
  const path = resolve(
    callerFolder,
    env['AUTHSERVICE_CREDENTIALS'] ?? join(configFolder, 'authservice', 'credentials.json'),
  );
  const read = (): Content => {
    try {
      if ((statSync(path).mode & OTHERS) !== 0)
        throw new CommandFailure(`${path} can be read by other users; run: chmod 600 ${path}`, EXIT.credential);
      return JSON.parse(readText(path)) as Content;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { current: undefined, logins: [] };
      if (error instanceof SyntaxError)
        throw new CommandFailure(`${path} is damaged; delete it and log in again`, EXIT.credential);
      throw error;
    }
  };
  const write = (content: Content) => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 });
    chmodSync(draft, 0o600);
    renameSync(draft, path);
  };
  const others = (logins: readonly Login[], core: string) => logins.filter((login) => login.core !== core);
  return {
    path,
    current: () => read().current,
    use: (core) => write({ ...read(), current: core }),
    list: () => read().logins,
    find: (core) => read().logins.find((login) => login.core === core),
    save(login) {
      const { current, logins } = read();
      write({ current: current ?? login.core, logins: [...others(logins, login.core), login] });
    },
    remove(core) {
      const { current, logins } = read();
      write({ current, logins: others(logins, core) });
    },
    exclusively(callTimeoutMs, work) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      return withFileLock(`${path}.lock`, callTimeoutMs + LOCK_MARGIN_MS, work);
    },
  };
}

const POLL_MS = 50;

/**
 * Runs work while this process holds the lock. The work must end within `limitMs`. After that, other processes take the
 * lock, because its holder was killed. Waits at most twice that time.
 */
export async function withFileLock<T>(lock: string, limitMs: number, work: () => Promise<T>): Promise<T> {
  const holder = randomUUID();
  const giveUpAt = Date.now() + 2 * limitMs;
  while (!tryAcquire(lock, holder, limitMs)) {
    if (Date.now() > giveUpAt) throw new CommandFailure(`${lock} is held by another process`, EXIT.credential);
    releaseExpired(lock);
    await sleep(POLL_MS);
  }
  try {
    return await work();
  } finally {
    release(lock, holder);
  }
}

function tryAcquire(lock: string, holder: string, limitMs: number): boolean {
  const draft = `${lock}.${holder}`;
  mkdirSync(draft, { mode: 0o700 });
  writeFileSync(join(draft, holder), String(Date.now() + limitMs));
  try {
    renameSync(draft, lock);
    return true;
  } catch (error) {
    rmSync(draft, { recursive: true });
    if (isCode(error, 'ENOTEMPTY', 'EEXIST')) return false;
    throw error;
  }
}

function releaseExpired(lock: string): void {
  try {
    for (const holder of readdirSync(lock))
      if (Date.now() > Number(readFileSync(join(lock, holder), 'utf8'))) release(lock, holder);
  } catch (error) {
    // Released meanwhile.
    if (!isCode(error, 'ENOENT')) throw error;
  }
}

function release(lock: string, holder: string): void {
  rmSync(join(lock, holder), { force: true });
  try {
    rmdirSync(lock);
  } catch (error) {
    // Another process holds or has removed it.
    if (!isCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT')) throw error;
  }
}

function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException).code ?? '');
}
