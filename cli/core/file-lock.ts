// A lock between processes: a folder with one file, named after its holder. Only the rename of a folder onto an empty or
// missing one succeeds, so that a lock never has two holders.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT } from '../exit-codes.ts';
import { CommandFailure } from '../failure.ts';

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
