// The account lock. A password is evaluated only in an attempt slot, and open slots count like failures, so that at most
// `maxFailures` wrong passwords are ever evaluated before the lock, however many come at once and to however many processes.
// Right passwords free their slot and never lock. Every statement that ends a slot names it: it may be repeated without
// effect, and it ends no other attempt's.
import { createHash } from 'node:crypto';
import type { CleanupTarget } from '../../jobs/cleanup.ts';
import type { Clock, Deadline } from '../../clock.ts';
import { DatabaseError } from '../../db/errors.ts';
import { idToBytes } from '../../db/ids.ts';
import { tenantBytes } from '../../db/query/tenant-scope.ts';
import type { Database, SqlValue, Statements } from '../../db/types.ts';
import { DependencyUnavailableError } from '../../errors.ts';
import type { Account } from '../../principal/account.ts';
import type { AccountKey } from '../account-store.ts';
import { expiredSlots, MAX_SLOTS, SLOT_LENGTH } from './attempt-slot.ts';

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

export interface WrongPassword {
  /** False if the slot was not open: the failure was counted before, or the account was unlocked meanwhile. */
  readonly counted: boolean;
  /** The end of the lock that this failure set, Unix milliseconds. */
  readonly lockedUntil: number | undefined;
}

export interface AccountLock {
  /**
   * Opens the slot, in which one password may be evaluated. A lock that has run out is lifted and the count begins at 0.
   * If this rejects, the slot may be open all the same.
   */
  claim(subject: LockSubject, slot: string, deadline: Deadline): Promise<ClaimOutcome>;
  /**
   * Ends a slot: the password was wrong. Without a slot nothing is counted, by the same statements. Rejects with
   * DependencyUnavailableError when the deadline has passed.
   */
  recordFailure(
    tx: Statements,
    subject: LockSubject,
    slot: string | undefined,
    deadline: Deadline,
  ): Promise<WrongPassword>;
  /**
   * Ends a slot: the password was right, so no failure counts any more. Rejects with DependencyUnavailableError when the
   * deadline has passed, or when the account was locked, disabled or got another password or other roles meanwhile.
   */
  recordSuccess(
    tx: Statements,
    account: Account,
    slot: string,
    passwordHash: string,
    deadline: Deadline,
  ): Promise<void>;
  /**
   * Ends a slot: the password was right, but nobody is let in. Failures count from 0 unless the password was changed
   * meanwhile. Returns whether the slot was open.
   */
  settleUnused(
    tx: Statements,
    account: Account,
    slot: string,
    passwordHash: string,
    deadline: Deadline,
  ): Promise<boolean>;
  /** See unlock. */
  unlock: typeof unlock;
  /** Ends a slot in which nothing was evaluated. */
  release(subject: LockSubject, slot: string): Promise<void>;
}

export const LOGIN_DECOYS_CLEANUP: CleanupTarget = {
  table: 'login_decoys',
  key: ['username_hash'],
  expiresAt: ['expires_at'],
};

// How long a decoy is kept after its last attempt, and longer than its lock.
const DECOY_LIFETIME_MS = 24 * 3600_000;

interface LockRow {
  login_failed_count: number;
  locked_until: number | null;
  attempt_slots: string;
}

/**
 * @param options.uniform Whether the statements must not tell which usernames exist: then a known one has a decoy too, and
 *   the state is read after every claim.
 */
export function createAccountLock(options: {
  readonly database: Database;
  readonly policy: LockPolicy;
  readonly clock: Clock;
  readonly uniform: boolean;
}): AccountLock {
  const { database, policy, clock, uniform } = options;
  const before = database.beforeDeadline;

  // Assignments run from left to right on MySQL and all at once on SQLite: each reads only what stands behind it.
  const claimSql = (row: RowAddress) => `UPDATE ${row.table} SET
      attempt_slots = CONCAT(attempt_slots, ?),
      login_failed_count = CASE WHEN locked_until IS NULL THEN login_failed_count ELSE 0 END,
      ${row.decoy ? 'expires_at = ?, ' : ''}locked_until = NULL
    WHERE ${row.where} AND (locked_until IS NULL OR locked_until <= ?)
      AND LENGTH(attempt_slots) < ${MAX_SLOTS * SLOT_LENGTH}
      AND (CASE WHEN locked_until IS NULL THEN login_failed_count ELSE 0 END)
        + LENGTH(attempt_slots) / ${SLOT_LENGTH} < ?
      AND ${before}`;

  return {
    async claim(subject, slot, deadline) {
      const now = clock();
      const row = addressOf(subject);
      if (row.decoy || uniform) await addDecoy(subject, now, deadline);
      const claimed = await database.execute(claimSql(row), [
        slot,
        ...(row.decoy ? [decoyExpiry(now)] : []),
        ...row.key,
        now,
        policy.maxFailures,
        database.deadlineValue(deadline),
      ]);
      if (claimed > 0 && !uniform) return { kind: 'claimed' };
      const state = await readState(database, row);
      if (claimed > 0) return { kind: 'claimed' };
      if (!state) throw new DependencyUnavailableError('the account was deleted meanwhile');
      const until = state.locked_until ?? 0;
      if (until > now) return { kind: 'locked', until };
      for (const expired of expiredSlots(state.attempt_slots, now)) await release(row, expired);
      return { kind: 'busy' };
    },

    async recordFailure(tx, subject, slot = NO_SLOT, deadline) {
      const row = addressOf(subject);
      const until = clock() + policy.durationMs;
      const changed = await tx.execute(
        `UPDATE ${row.table} SET
           locked_until = CASE WHEN login_failed_count + 1 >= ? THEN ? ELSE locked_until END,
           login_failed_count = login_failed_count + 1,
           ${ENDED_SLOT}
         WHERE ${row.where} AND ${OPEN_SLOT} AND ${before}`,
        [policy.maxFailures, until, slot, ...row.key, slot, database.deadlineValue(deadline)],
      );
      const state = await readState(tx, row);
      const counted = changed > 0;
      if (!counted && state?.attempt_slots.includes(slot)) throw notSettled();
      return { counted, lockedUntil: counted && state?.locked_until === until ? until : undefined };
    },

    async recordSuccess(tx, account, slot, passwordHash, deadline) {
      const row = addressOf({ account });
      const changed = await tx.execute(
        `UPDATE accounts SET login_failed_count = 0, ${ENDED_SLOT}
          WHERE ${row.where} AND (locked_until IS NULL OR locked_until <= ?)
            AND disabled = 0 AND password_hash = ? AND roles = ? AND ${before}`,
        [slot, ...row.key, clock(), passwordHash, account.roles.join(','), database.deadlineValue(deadline)],
      );
      if (changed === 0) throw notSettled();
    },

    async settleUnused(tx, account, slot, passwordHash, deadline) {
      const row = addressOf({ account });
      const changed = await tx.execute(
        `UPDATE accounts SET
           login_failed_count = CASE WHEN password_hash = ? THEN 0 ELSE login_failed_count END,
           ${ENDED_SLOT}
         WHERE ${row.where} AND ${OPEN_SLOT} AND ${before}`,
        [passwordHash, slot, ...row.key, slot, database.deadlineValue(deadline)],
      );
      if (changed === 0 && (await readState(tx, row))?.attempt_slots.includes(slot)) throw notSettled();
      return changed > 0;
    },

    unlock: unlock,

    release: (subject, slot) => release(addressOf(subject), slot),
  };

  async function release(row: RowAddress, slot: string): Promise<void> {
    await database.execute(`UPDATE ${row.table} SET ${ENDED_SLOT} WHERE ${row.where}`, [slot, ...row.key]);
  }

  function decoyExpiry(now: number): number {
    return now + policy.durationMs + DECOY_LIFETIME_MS;
  }

  async function addDecoy(subject: LockSubject, now: number, deadline: Deadline): Promise<void> {
    try {
      await database.execute(
        `INSERT INTO login_decoys (username_hash, expires_at)
         SELECT ?, ? FROM (SELECT 1 AS one) AS once WHERE ${before}`,
        [usernameHash(subject), decoyExpiry(now), database.deadlineValue(deadline)],
      );
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.kind !== 'duplicate') throw error;
    }
  }
}

/** Ends a lock and all open slots of an account, and counts from 0 again. Returns whether there was anything to end. */
export async function unlock(tx: Statements, account: AccountKey): Promise<boolean> {
  const changed = await tx.execute(
    `UPDATE accounts SET login_failed_count = 0, locked_until = NULL, attempt_slots = ''
      WHERE ${ACCOUNT} AND (login_failed_count > 0 OR locked_until IS NOT NULL OR attempt_slots <> '')`,
    keyOf(account),
  );
  return changed > 0;
}

/** A text that no column of slots holds. */
const NO_SLOT = '-';
const ENDED_SLOT = "attempt_slots = REPLACE(attempt_slots, ?, '')";
const OPEN_SLOT = 'INSTR(attempt_slots, ?) > 0';
const ACCOUNT = 'tenant_id = ? AND id = ?';

async function readState(statements: Statements, { table, where, key }: RowAddress): Promise<LockRow | undefined> {
  const [state] = await statements.query<LockRow>(
    `SELECT login_failed_count, locked_until, attempt_slots FROM ${table} WHERE ${where}`,
    key,
  );
  return state;
}

function notSettled(): DependencyUnavailableError {
  return new DependencyUnavailableError('the attempt could not be settled in time');
}

interface RowAddress {
  readonly table: string;
  readonly where: string;
  readonly key: readonly SqlValue[];
  readonly decoy: boolean;
}

function addressOf(subject: LockSubject): RowAddress {
  if ('account' in subject) return { table: 'accounts', where: ACCOUNT, key: keyOf(subject.account), decoy: false };
  return { table: 'login_decoys', where: 'username_hash = ?', key: [usernameHash(subject)], decoy: true };
}

function keyOf({ tenantId, id }: AccountKey): SqlValue[] {
  return [tenantBytes(tenantId), idToBytes(id)];
}

function usernameHash(subject: LockSubject): Buffer {
  const username = 'account' in subject ? subject.account.username : subject.decoy;
  return createHash('sha256').update(username).digest();
}
