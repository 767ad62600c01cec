import type { Clock } from '../clock.ts';
import { DatabaseError, isRolledBack } from '../db/errors.ts';
import { idToBytes, newId } from '../db/ids.ts';
import type { Database } from '../db/types.ts';
import type { BackgroundDatabase } from './background.ts';

interface LeaseOptions {
  /** Also for the work of the job. */
  readonly database: BackgroundDatabase;
  readonly clock: Clock;
  /** The job's name, at most 64 bytes. */
  readonly name: string;
  /** How long the lease lasts without renewal, in milliseconds. Must exceed clock differences between machines. */
  readonly durationMs: number;
}

/** Takes the exclusive right to run a job, until it is released or expires; undefined if another process holds it. */
export async function takeLease({ database, clock, name, durationMs }: LeaseOptions) {
  const key = Buffer.from(name);
  const holder = idToBytes(newId());
  const now = clock();
  let extendedAt = now;
  const taken =
    (await database.execute('UPDATE job_leases SET holder = ?, expires_at = ? WHERE name = ? AND expires_at <= ?', [
      holder,
      now + durationMs,
      key,
      now,
    ])) > 0 || (await insertFirst(database, key, holder, now + durationMs));
  if (!taken) return undefined;
  return {
    /**
     * Extends the lease to its full duration if a quarter of it has passed, so that a job can call it after each step.
     * Returns false if the lease expired and another process took it. The job must then stop.
     */
    async renew(): Promise<boolean> {
      const at = clock();
      if (at - extendedAt < durationMs / 4) return true;
      const sql = 'UPDATE job_leases SET expires_at = ? WHERE name = ? AND holder = ?';
      const isHeld = (await database.execute(sql, [at + durationMs, key, holder])) > 0;
      if (isHeld) extendedAt = at;
      return isHeld;
    },
    /** Releases the lease and stores the time and the number of processed rows of this run. */
    async release(count: number): Promise<void> {
      await database.execute(
        'UPDATE job_leases SET expires_at = 0, last_run_at = ?, last_count = ? WHERE name = ? AND holder = ?',
        [clock(), count, key, holder],
      );
    },
  };
}

/** Creates a lease that a job keeps between its runs, because a run takes few statements. */
export function createKeptLease(options: LeaseOptions) {
  let lease: Awaited<ReturnType<typeof takeLease>>;
  return {
    /** Takes the lease or keeps it. Returns false if another process, or another run of this one, holds it. */
    async hold(): Promise<boolean> {
      const kept = lease;
      if (kept && (await kept.renew())) return true;
      const taken = await takeLease(options);
      // A run that is refused must not forget the lease that another run took meanwhile.
      if (taken || lease === kept) lease = taken;
      return taken !== undefined;
    },
    /** Lets another process take over at once. */
    async release(): Promise<void> {
      await lease?.release(0);
      lease = undefined;
    },
  };
}

/** Writes the time into a row. A full disk and a read-only database refuse it. */
export async function recordTime(database: Database, name: string, now: number): Promise<void> {
  const key = Buffer.from(name);
  try {
    const changed = await database.execute('UPDATE job_leases SET last_run_at = ? WHERE name = ?', [now, key]);
    if (changed === 0) await insertFirst(database, key, Buffer.alloc(16), 0);
  } catch (error) {
    // Another process has written the row at the same time.
    if (!isRolledBack(error)) throw error;
  }
}

/** Returns the time of the last completed run of a job on any machine, in Unix milliseconds, and its number of rows. */
export async function lastRunOf(
  database: Database,
  name: string,
): Promise<{ readonly at: number; readonly count: number } | undefined> {
  const [row] = await database.query<{ last_run_at: number | null; last_count: number | null }>(
    'SELECT last_run_at, last_count FROM job_leases WHERE name = ?',
    [Buffer.from(name)],
  );
  if (!row || row.last_run_at === null) return undefined;
  return { at: row.last_run_at, count: row.last_count ?? 0 };
}

async function insertFirst(database: Database, key: Buffer, holder: Buffer, expiresAt: number): Promise<boolean> {
  const [known] = await database.query('SELECT 1 AS one FROM job_leases WHERE name = ?', [key]);
  if (known) return false;
  try {
    await database.execute('INSERT INTO job_leases (name, holder, expires_at) VALUES (?, ?, ?)', [
      key,
      holder,
      expiresAt,
    ]);
    return true;
  } catch (error) {
    if (error instanceof DatabaseError && error.kind === 'duplicate') return false;
    throw error;
  }
}
