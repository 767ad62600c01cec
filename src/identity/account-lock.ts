// The account lock. A password is evaluated only under a claim, and claims count like failures while they are open, so that
// at most `maxFailures` wrong passwords are ever evaluated before the lock, however many come at once and to however many
// processes. Right passwords give their claim back and never lock.
import { createHash } from 'node:crypto';
import type { CleanUpTarget } from '../jobs/clean-up.ts';
import type { Clock, Deadline } from '../clock.ts';
import { DatabaseError } from '../db/errors.ts';
import { idToBytes } from '../db/ids.ts';
import { tenantBytes } from '../db/tenant-scope.ts';
import type { Database, SqlValue, Statements } from '../db/types.ts';
import { DependencyUnavailableError } from '../errors.ts';
import type { Account } from './account.ts';

export interface LockPolicy {
  readonly maxFailures: number;
  readonly durationMs: number;
}

/** Whose lock it is: an account's, or that of a username which must look as if it had one. */
export type LockSubject = { readonly account: Account } | { readonly decoy: string };

export type ClaimOutcome =
  | { readonly kind: 'claimed' }
  /** As many evaluations are open as may still fail; ask again when one has ended. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'locked'; readonly until: number };

export interface AccountLock {
  /** Claims the right to evaluate one password. A lock that has run out is lifted and the count begins at 0. */
  claim(subject: LockSubject, deadline: Deadline): Promise<ClaimOutcome>;
  /**
   * Ends a claim: the password was wrong. Returns the end of the lock that this failure set, Unix milliseconds. Rejects
   * with DependencyUnavailableError when the deadline has passed.
   */
  settleWrong(tx: Statements, subject: LockSubject, deadline: Deadline): Promise<number | undefined>;
  /**
   * Ends a claim: the password was right, so no failure counts any more. Rejects with DependencyUnavailableError when the
   * deadline has passed, or when the account was disabled or got another password or other roles meanwhile.
   */
  settleRight(tx: Statements, account: Account, passwordHash: string, deadline: Deadline): Promise<void>;
  /** Ends a lock and counts from 0 again, whatever the state; open claims stay. */
  lift(tx: Statements, account: Account): Promise<void>;
  /** Ends a claim under which nothing was evaluated. */
  release(subject: LockSubject): Promise<void>;
}

export const LOGIN_DECOYS_CLEAN_UP: CleanUpTarget = {
  table: 'login_decoys',
  key: ['username_hash'],
  expiresAt: ['expires_at'],
};

// Open claims of a process that died are void from then on. What they would have said was never told to anybody.
const CLAIM_LIFETIME_MS = 30_000;
// How long a decoy is kept after its last attempt, and longer than its lock.
const DECOY_LIFETIME_MS = 24 * 3600_000;

interface LockRow {
  login_failed_count: number;
  locked_until: number | null;
}

export function createAccountLock(database: Database, policy: LockPolicy, clock: Clock): AccountLock {
  const before = database.beforeDeadline;

  // Assignments run from left to right on MySQL and all at once on SQLite: each reads only what stands behind it.
  const claimSql = (row: RowAddress) => `UPDATE ${row.table} SET
      login_claims = CASE WHEN login_claims_expire_at <= ? THEN 1 ELSE login_claims + 1 END,
      login_failed_count = CASE WHEN locked_until IS NULL THEN login_failed_count ELSE 0 END,
      login_claims_expire_at = ?,
      ${row.decoy ? 'expires_at = ?, ' : ''}locked_until = NULL
    WHERE ${row.where} AND (locked_until IS NULL OR locked_until <= ?)
      AND (CASE WHEN locked_until IS NULL THEN login_failed_count ELSE 0 END)
        + (CASE WHEN login_claims_expire_at <= ? THEN 0 ELSE login_claims END) < ?
      AND ${before}`;

  return {
    async claim(subject, deadline) {
      const now = clock();
      const row = addressOf(subject);
      if (row.decoy && (await insertClaimedDecoy(row.decoy, now, deadline))) return { kind: 'claimed' };
      const claimed = await database.execute(claimSql(row), [
        now,
        now + CLAIM_LIFETIME_MS,
        ...(row.decoy ? [decoyExpiry(now)] : []),
        ...row.key,
        now,
        now,
        policy.maxFailures,
        database.deadlineValue(deadline),
      ]);
      if (claimed > 0) return { kind: 'claimed' };
      const [state] = await database.query<LockRow>(
        `SELECT login_failed_count, locked_until FROM ${row.table} WHERE ${row.where}`,
        row.key,
      );
      const until = state?.locked_until ?? 0;
      return until > now ? { kind: 'locked', until } : { kind: 'busy' };
    },

    async settleWrong(tx, subject, deadline) {
      const row = addressOf(subject);
      const until = clock() + policy.durationMs;
      const changed = await tx.execute(
        `UPDATE ${row.table} SET
           locked_until = CASE WHEN login_failed_count + 1 >= ? THEN ? ELSE locked_until END,
           login_failed_count = login_failed_count + 1,
           ${ENDED_CLAIM}
         WHERE ${row.where} AND ${before}`,
        [policy.maxFailures, until, ...row.key, database.deadlineValue(deadline)],
      );
      if (changed === 0) throw notSettled();
      const [state] = await tx.query<LockRow>(
        `SELECT login_failed_count, locked_until FROM ${row.table} WHERE ${row.where}`,
        row.key,
      );
      return state?.locked_until === until ? until : undefined;
    },

    async settleRight(tx, account, passwordHash, deadline) {
      const row = addressOf({ account });
      const changed = await tx.execute(
        `UPDATE accounts SET login_failed_count = 0, ${ENDED_CLAIM}
          WHERE ${row.where} AND disabled = 0 AND password_hash = ? AND roles = ? AND ${before}`,
        [...row.key, passwordHash, account.roles.join(','), database.deadlineValue(deadline)],
      );
      if (changed === 0) throw notSettled();
    },

    async lift(tx, account) {
      const row = addressOf({ account });
      await tx.execute(`UPDATE accounts SET login_failed_count = 0, locked_until = NULL WHERE ${row.where}`, row.key);
    },

    async release(subject) {
      const row = addressOf(subject);
      await database.execute(`UPDATE ${row.table} SET ${ENDED_CLAIM} WHERE ${row.where}`, row.key);
    },
  };

  function decoyExpiry(now: number): number {
    return now + policy.durationMs + DECOY_LIFETIME_MS;
  }

  async function insertClaimedDecoy(usernameHash: Buffer, now: number, deadline: Deadline): Promise<boolean> {
    try {
      const inserted = await database.execute(
        `INSERT INTO login_decoys (username_hash, login_failed_count, login_claims, login_claims_expire_at, expires_at)
         SELECT ?, 0, 1, ?, ? FROM (SELECT 1 AS one) AS once WHERE ${before}`,
        [usernameHash, now + CLAIM_LIFETIME_MS, decoyExpiry(now), database.deadlineValue(deadline)],
      );
      return inserted > 0;
    } catch (error) {
      if (error instanceof DatabaseError && error.kind === 'duplicate') return false;
      throw error;
    }
  }
}

const ENDED_CLAIM = 'login_claims = CASE WHEN login_claims > 0 THEN login_claims - 1 ELSE 0 END';

function notSettled(): DependencyUnavailableError {
  return new DependencyUnavailableError('the attempt could not be settled in time');
}

interface RowAddress {
  readonly table: string;
  readonly where: string;
  readonly key: readonly SqlValue[];
  readonly decoy?: Buffer;
}

function addressOf(subject: LockSubject): RowAddress {
  if ('account' in subject) {
    const { tenantId, id } = subject.account;
    return { table: 'accounts', where: 'tenant_id = ? AND id = ?', key: [tenantBytes(tenantId), idToBytes(id)] };
  }
  const usernameHash = createHash('sha256').update(subject.decoy).digest();
  return { table: 'login_decoys', where: 'username_hash = ?', key: [usernameHash], decoy: usernameHash };
}
