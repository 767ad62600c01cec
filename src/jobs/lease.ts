import type { Clock } from '../clock.ts';
import { DatabaseError } from '../db/errors.ts';
import { idToBytes, newId } from '../db/ids.ts';
import type { Database } from '../db/types.ts';

/** The right to do a job alone, until it is released or runs out. */
export interface Lease {
  /** Prolongs it by its whole length. False where it has run out and somebody else took it: stop working. */
  renew(): Promise<boolean>;
  /** Gives it back and notes that the job ran and how many rows it dealt with. */
  release(count: number): Promise<void>;
}

export interface LeaseOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** The job's name, at most 64 bytes. */
  readonly name: string;
  /** How long the lease lasts without being renewed, in milliseconds; longer than the clocks of two machines differ. */
  readonly durationMs: number;
}

/** What is known of a job's last run. */
export interface LastRun {
  /** Unix milliseconds. */
  readonly at: number;
  readonly count: number;
}

/** Takes the lease of a job; undefined while somebody else holds it. */
export async function takeLease({ database, clock, name, durationMs }: LeaseOptions): Promise<Lease | undefined> {
  const key = Buffer.from(name);
  const holder = idToBytes(newId());
  const now = clock();
  const taken =
    (await database.execute('UPDATE job_leases SET holder = ?, expires_at = ? WHERE name = ? AND expires_at <= ?', [
      holder,
      now + durationMs,
      key,
      now,
    ])) > 0 || (await insertFirst(database, key, holder, now + durationMs));
  if (!taken) return undefined;
  return {
    async renew() {
      const sql = 'UPDATE job_leases SET expires_at = ? WHERE name = ? AND holder = ?';
      return (await database.execute(sql, [clock() + durationMs, key, holder])) > 0;
    },
    async release(count) {
      await database.execute(
        'UPDATE job_leases SET expires_at = 0, last_run_at = ?, last_count = ? WHERE name = ? AND holder = ?',
        [clock(), count, key, holder],
      );
    },
  };
}

/** The last completed run of a job on any machine. */
export async function lastRunOf(database: Database, name: string): Promise<LastRun | undefined> {
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
