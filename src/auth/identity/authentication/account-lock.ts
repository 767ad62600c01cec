// The account lock. A password is evaluated only in an attempt slot. Open slots count like failures, so at most
// `maxFailures` wrong passwords are evaluated before the lock. This also holds for concurrent attempts and across
// processes. A correct password frees its slot and never locks. Every statement that ends a slot names that slot: it
// can be repeated safely and never ends another attempt's slot.
import { createHash, randomBytes } from 'node:crypto';
import type { Clock, Deadline } from '../../../platform/clock.ts';
import { idToBytes } from '../../../platform/db/ids.ts';
import { tenantBytes } from '../../../platform/db/query/tenant-scope.ts';
import type { Database, SqlValue, Statements } from '../../../platform/db/types.ts';
import { DependencyUnavailableError } from '../../../platform/errors.ts';
import type { CleanupTarget } from '../../../platform/jobs/cleanup.ts';
import type { AccountKey } from '../account-store.ts';
import type { Account } from '../../access/account.ts';

export interface LockPolicy {
  readonly maxFailures: number;
  readonly durationMs: number;
}

/** The owner of a lock: an account, or a username without an account that must look as if it had a lock. */
export type LockSubject = ({ readonly account: Account } | { readonly decoy: string }) & {
  /** The policy of the tenant. Default: the service's. */
  readonly policy?: LockPolicy;
};

export type ClaimOutcome =
  | { readonly kind: 'claimed' }
  /** All remaining attempts are in use by open evaluations. Ask again when one has ended. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'locked'; readonly until: number };

export type AccountLock = ReturnType<typeof createAccountLock>;

export const LOGIN_DECOYS_CLEANUP: CleanupTarget = {
  table: 'login_decoys',
  key: ['username_hash'],
  expiresAt: ['expires_at'],
};

// Counted from a decoy's last attempt. Must be longer than the lock.
const DECOY_LIFETIME_MS = 24 * 3600_000;

interface LockRow {
  login_failed_count: number;
  locked_until: number | null;
  attempt_slots: string;
}

/**
 * @param options.uniform Whether the statements and commits must not reveal which usernames exist. If so, existing
 *   accounts get a decoy too. Each attempt writes to it, and reads the state after its claim.
 */
export function createAccountLock(options: {
  readonly database: Database;
  readonly policy: LockPolicy;
  readonly clock: Clock;
  readonly uniform: boolean;
}) {
  const { database, policy, clock, uniform } = options;
  const before = database.beforeDeadline;

  // One attempt is always possible, because the policy may have become stricter than the count: it succeeds or locks.
  // MySQL evaluates assignments from left to right, SQLite all at once. So each reads only columns that are assigned
  // after it.
  const claimSql = (row: RowAddress) => `UPDATE ${row.table} SET
      attempt_slots = CONCAT(attempt_slots, ?),
      login_failed_count = CASE WHEN locked_until IS NULL THEN login_failed_count ELSE 0 END,
      locked_until = NULL
    WHERE ${row.where} AND (locked_until IS NULL OR locked_until <= ?)
      AND LENGTH(attempt_slots) < ${MAX_SLOTS * SLOT_LENGTH}
      AND (attempt_slots = '' OR (CASE WHEN locked_until IS NULL THEN login_failed_count ELSE 0 END)
        + LENGTH(attempt_slots) / ${SLOT_LENGTH} < ?)
      AND ${before}`;

  return {
    /**
     * Opens a slot, in which one password may be evaluated. An expired lock is removed and the count restarts at 0. If
     * this rejects, the slot may still be open.
     */
    async claim(subject: LockSubject, slot: string, deadline: Deadline): Promise<ClaimOutcome> {
      const now = clock();
      const row = addressOf(subject);
      const run = async (statements: Statements) => {
        const claimed = await statements.execute(claimSql(row), [
          slot,
          ...row.key,
          now,
          (subject.policy ?? policy).maxFailures,
          database.deadlineValue(deadline),
        ]);
        return { claimed: claimed > 0, state: claimed > 0 && !uniform ? undefined : await readState(statements, row) };
      };
      const runWithDecoy = async (tx: Statements) => {
        await writeDecoy(tx, subject);
        return run(tx);
      };
      const { claimed, state } = await (uniform ? database.transaction(deadline, runWithDecoy) : run(database));
      if (claimed) return { kind: 'claimed' };
      if (!state) throw new DependencyUnavailableError('the account was deleted meanwhile');
      const until = state.locked_until ?? 0;
      if (until > now) return { kind: 'locked', until };
      for (const expired of expiredSlots(state.attempt_slots, now)) await release(row, expired);
      return { kind: 'busy' };
    },

    /**
     * Ends a slot after a wrong password. Without a slot nothing is counted, but the same statements run. Rejects with
     * DependencyUnavailableError if the deadline has passed.
     *
     * @returns `counted`: false if the slot was not open, because the failure was already counted or the account was
     *   unlocked meanwhile. `lockedUntil`: when the lock set by this failure ends, in Unix milliseconds, if it set one.
     */
    async recordFailure(tx: Statements, subject: LockSubject, slot = NO_SLOT, deadline: Deadline) {
      const row = addressOf(subject);
      const { maxFailures, durationMs } = subject.policy ?? policy;
      const until = clock() + durationMs;
      if (uniform) await writeDecoy(tx, subject);
      const changed = await tx.execute(
        `UPDATE ${row.table} SET
           locked_until = CASE WHEN login_failed_count + 1 >= ? THEN ? ELSE locked_until END,
           login_failed_count = login_failed_count + 1,
           ${ENDED_SLOT}
         WHERE ${row.where} AND ${OPEN_SLOT} AND ${before}`,
        [maxFailures, until, slot, ...row.key, slot, database.deadlineValue(deadline)],
      );
      const state = await readState(tx, row);
      const counted = changed > 0;
      if (!counted && state?.attempt_slots.includes(slot)) throw notRecorded();
      return { counted, lockedUntil: counted && state?.locked_until === until ? until : undefined };
    },

    /**
     * Ends a slot after a correct password and resets the failure count. Rejects with DependencyUnavailableError if the
     * deadline has passed, or if the account has changed meanwhile: locked, disabled, another password, other roles or factors.
     */
    async recordSuccess(tx: Statements, account: Account, slot: string, deadline: Deadline) {
      const row = addressOf({ account });
      const now = clock();
      const changed = await tx.execute(
        `UPDATE accounts SET login_failed_count = 0, ${ENDED_SLOT}
          WHERE ${row.where} AND (locked_until IS NULL OR locked_until <= ?)
            AND disabled = 0 AND (disable_at IS NULL OR disable_at > ?) AND password_version = ? AND roles = ? AND factors_version = ? AND ${before}`,
        [
          slot,
          ...row.key,
          now,
          now,
          versionOf(account),
          account.roles.join(','),
          account.factorsVersion,
          database.deadlineValue(deadline),
        ],
      );
      if (changed === 0) throw notRecorded();
    },

    /**
     * Ends a slot after a correct password that did not lead to a login. Resets the failure count unless the password
     * was changed meanwhile. Returns whether the slot was open.
     */
    async recordUnused(tx: Statements, account: Account, slot: string, deadline: Deadline) {
      const row = addressOf({ account });
      const changed = await tx.execute(
        `UPDATE accounts SET
           login_failed_count = CASE WHEN password_version = ? THEN 0 ELSE login_failed_count END,
           ${ENDED_SLOT}
         WHERE ${row.where} AND ${OPEN_SLOT} AND ${before}`,
        [versionOf(account), slot, ...row.key, slot, database.deadlineValue(deadline)],
      );
      if (changed === 0 && (await readState(tx, row))?.attempt_slots.includes(slot)) throw notRecorded();
      return changed > 0;
    },

    /** Ends a slot in which nothing was evaluated. */
    release: (subject: LockSubject, slot: string) => release(addressOf(subject), slot),
  };

  async function release(row: RowAddress, slot: string): Promise<void> {
    await database.execute(`UPDATE ${row.table} SET ${ENDED_SLOT} WHERE ${row.where}`, [slot, ...row.key]);
  }

  /**
   * Creates the decoy of a username, or extends its lifetime, also if the username has an account. It always changes the
   * row, so that the transaction writes to the disk even if nothing else changes.
   */
  async function writeDecoy(tx: Statements, subject: LockSubject): Promise<void> {
    const expiresAt = clock() + (subject.policy ?? policy).durationMs + DECOY_LIFETIME_MS;
    await tx.execute(
      `INSERT INTO login_decoys (username_hash, expires_at) VALUES (?, ?) ${IF_PRESENT[database.engine]}
       expires_at = CASE WHEN expires_at < ? THEN ? ELSE expires_at + 1 END`,
      [usernameHash(subject), expiresAt, expiresAt, expiresAt],
    );
  }
}

const IF_PRESENT: Readonly<Record<Database['engine'], string>> = {
  sqlite: 'ON CONFLICT (username_hash) DO UPDATE SET',
  mysql: 'ON DUPLICATE KEY UPDATE',
};

/** Removes the lock and all open slots of an account and resets its failure count. Returns whether anything changed. */
export async function unlock(tx: Statements, account: AccountKey): Promise<boolean> {
  const changed = await tx.execute(
    `UPDATE accounts SET login_failed_count = 0, locked_until = NULL, attempt_slots = ''
      WHERE ${ACCOUNT} AND (login_failed_count > 0 OR locked_until IS NOT NULL OR attempt_slots <> '')`,
    keyOf(account),
  );
  return changed > 0;
}

/** Stores when an account has last logged in, in the transaction of the login, which has locked its row. */
export async function recordLogin(tx: Statements, account: AccountKey, now: number): Promise<void> {
  await tx.execute(`UPDATE accounts SET last_login_at = ? WHERE ${ACCOUNT}`, [now, ...keyOf(account)]);
}

/** A text that never occurs in a column of slots. */
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

function notRecorded(): DependencyUnavailableError {
  return new DependencyUnavailableError('the login attempt could not be recorded in time');
}

interface RowAddress {
  readonly table: string;
  readonly where: string;
  readonly key: readonly SqlValue[];
}

function addressOf(subject: LockSubject): RowAddress {
  if ('account' in subject) return { table: 'accounts', where: ACCOUNT, key: keyOf(subject.account) };
  return { table: 'login_decoys', where: 'username_hash = ?', key: [usernameHash(subject)] };
}

const versionOf = ({ passwordVersion = 0 }: Account): number => passwordVersion;

function keyOf({ tenantId, id }: AccountKey): SqlValue[] {
  return [tenantBytes(tenantId), idToBytes(id)];
}

function usernameHash(subject: LockSubject): Buffer {
  const username = 'account' in subject ? subject.account.username : subject.decoy;
  return createHash('sha256').update(username).digest();
}

// Attempt slots: one for each login attempt whose password is being evaluated. A column holds an account's open slots
// as concatenated text. All slots have the same length, so SQL can count them by length and remove one by its text.

/** `<end of its lifetime in Unix milliseconds, 13 digits>.<10 hexadecimal digits>;` */
const SLOT = /(\d{13})\.[0-9a-f]{10};/g;
export const SLOT_LENGTH = 25;

/** How many slots the column can hold. */
export const MAX_SLOTS = 40;

/**
 * Longer than the longest evaluation and the record of its outcome. After this time, the slot of a crashed process no longer
 * counts.
 */
export const SLOT_LIFETIME_MS = 30_000;

/** Creates a unique slot. */
export function newAttemptSlot(now: number): string {
  return `${String(now + SLOT_LIFETIME_MS).padStart(13, '0')}.${randomBytes(5).toString('hex')};`;
}

/** Returns the slots of a column whose lifetime has ended. */
export function expiredSlots(column: string, now: number): string[] {
  return [...column.matchAll(SLOT)].filter(([, end]) => Number(end) <= now).map(([slot]) => slot);
}
