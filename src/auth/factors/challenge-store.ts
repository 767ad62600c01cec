// The login_challenges table: logins whose password was right and that need a second factor.
import type { Deadline } from '../../platform/clock.ts';
import {
  exactText,
  flag,
  id,
  integer,
  optional,
  optionalTenant,
  text,
  time,
  type Column,
} from '../../platform/db/columns.ts';
import { idToBytes } from '../../platform/db/ids.ts';
import { acrossTenants, tenantScope } from '../../platform/db/query/tenant-scope.ts';
import { defineRecord, type Insertable, type ValuesOf } from '../../platform/db/record.ts';
import type { Database, Statements } from '../../platform/db/types.ts';
import { DependencyUnavailableError } from '../../platform/errors.ts';
import type { CleanupTarget } from '../../platform/jobs/cleanup.ts';
import type { Account } from '../access/account.ts';

export const LOGIN_CHALLENGES_CLEANUP: CleanupTarget = {
  table: 'login_challenges',
  key: ['tenant_id', 'id'],
  expiresAt: ['expires_at'],
};

/** Answers to one challenge that are evaluated. */
export const MAX_TRIES = 5;
/** Challenges of one account. A further one replaces the oldest. */
export const MAX_CHALLENGES = 20;

/** Whether the user gives a factor, creates the first one, or replaces a temporary password. */
export type ChallengeKind = 'factor' | 'enrolment' | 'password-change';

const bytes = (name: string): Column<Buffer> => ({ name, fromSql: (stored: Uint8Array) => Buffer.from(stored) });

const COLUMNS = {
  tenantId: optionalTenant('tenant_id'),
  /** UUIDv7. */
  id: id('id'),
  accountId: id('account_id'),
  /** SHA-256 of the random part of the challenge. */
  secretHash: bytes('secret_hash'),
  kind: text('kind') as Column<ChallengeKind>,
  /** How the session will keep its refresh token, as sessions name it. */
  transport: text('transport'),
  rememberMe: flag('remember_me'),
  /** The browser origin of the login; undefined if it had none. */
  origin: optional(exactText('origin')),
  /** The version of the account's factors at the login. */
  factorsVersion: integer('factors_version'),
  /** Answers that were evaluated. */
  tries: integer('tries'),
  /** Unix milliseconds, like all times here. */
  createdAt: time('created_at'),
  expiresAt: time('expires_at'),
  usedAt: optional(time('used_at')),
  /** The secret of a TOTP that is being enrolled, encrypted. */
  totpSecret: optional(bytes('totp_secret')),
};

const CHALLENGE = defineRecord('login_challenges', { fixed: COLUMNS, fields: {} });
export type StoredChallenge = ValuesOf<typeof COLUMNS>;
type ChallengeAddress = Pick<StoredChallenge, 'tenantId' | 'id'>;

const OF_ALL_TENANTS = acrossTenants('a login continues with a challenge');

export type ChallengeStore = ReturnType<typeof createChallengeStore>;

export function createChallengeStore(database: Database) {
  return {
    /** Stores a challenge. Rejects with DependencyUnavailableError if the deadline has passed. */
    async insert(tx: Statements, challenge: Insertable<StoredChallenge>, deadline: Deadline): Promise<void> {
      const inserted = await tenantScope(tx, challenge.tenantId).execute(
        `INSERT INTO login_challenges (${CHALLENGE.names})
         SELECT ${CHALLENGE.placeholders} FROM (SELECT 1 AS one) AS once WHERE ${database.beforeDeadline}`,
        [...CHALLENGE.insertValues(challenge), database.deadlineValue(deadline)],
      );
      if (inserted === 0) throw new DependencyUnavailableError('the deadline passed before the challenge was stored');
    },

    /** Makes room for one more challenge of an account, whose row is locked. */
    async deleteSurplus(tx: Statements, { tenantId, id }: Pick<Account, 'tenantId' | 'id'>): Promise<void> {
      const accountId = idToBytes(id);
      // The inner query is materialised, because MySQL does not read a table that the statement changes.
      await tenantScope(tx, tenantId).execute(
        `DELETE FROM login_challenges WHERE tenant_id = :tenant AND account_id = ? AND id <= (
           SELECT id FROM (SELECT id FROM login_challenges WHERE tenant_id = :tenant AND account_id = ?
             ORDER BY id DESC LIMIT 1 OFFSET ${MAX_CHALLENGES - 1}) AS surplus)`,
        [accountId, accountId],
      );
    },

    /** Finds a challenge by its id, also one that is used or has expired. */
    async find(challengeId: string): Promise<StoredChallenge | undefined> {
      const [row] = await database.query(
        `SELECT ${CHALLENGE.select('c')} FROM login_challenges c WHERE ${OF_ALL_TENANTS} AND c.id = ?`,
        [idToBytes(challengeId)],
      );
      return row && CHALLENGE.read(row);
    },

    /** Counts an answer that will be evaluated. Returns false if no further one may be. */
    countTry: (tx: Statements, challenge: ChallengeAddress, now: number, deadline: Deadline) =>
      updateOpen(tx, challenge, 'tries = tries + 1', [], now, deadline),

    /** Uses a challenge for its login. Its tries may all be spent. Returns false if it was used before. */
    async use(tx: Statements, { tenantId, id }: ChallengeAddress, now: number): Promise<boolean> {
      const changed = await tenantScope(tx, tenantId).execute(
        'UPDATE login_challenges SET used_at = ? WHERE tenant_id = :tenant AND id = ? AND used_at IS NULL',
        [now, idToBytes(id)],
      );
      return changed > 0;
    },

    /** Stores the secret of a TOTP that is being enrolled. Returns false if the challenge has ended. */
    storeTotpSecret: (tx: Statements, challenge: ChallengeAddress, secret: Buffer, now: number, deadline: Deadline) =>
      updateOpen(tx, challenge, 'totp_secret = ?', [secret], now, deadline),

    /** Counts the challenges of an account that can be answered. */
    async countOpen(tx: Statements, { tenantId, id }: Pick<Account, 'tenantId' | 'id'>, now: number): Promise<number> {
      const [row] = await tenantScope(tx, tenantId).query<{ count: number }>(
        `SELECT COUNT(*) AS count FROM login_challenges
          WHERE tenant_id = :tenant AND account_id = ? AND used_at IS NULL AND tries < ${MAX_TRIES} AND expires_at > ?`,
        [idToBytes(id), now],
      );
      return row!.count;
    },

    /** Ends all challenges of an account. */
    async deleteOf(tx: Statements, { tenantId, id }: Pick<Account, 'tenantId' | 'id'>): Promise<void> {
      await tenantScope(tx, tenantId).execute(
        'DELETE FROM login_challenges WHERE tenant_id = :tenant AND account_id = ?',
        [idToBytes(id)],
      );
    },

    /** Ends all challenges of a tenant. */
    async deleteOfTenant(tx: Statements, tenantId: string): Promise<void> {
      await tenantScope(tx, tenantId).execute('DELETE FROM login_challenges WHERE tenant_id = :tenant');
    },
  };

  async function updateOpen(
    tx: Statements,
    { tenantId, id }: ChallengeAddress,
    assignment: string,
    values: readonly Buffer[],
    now: number,
    deadline: Deadline,
  ): Promise<boolean> {
    const changed = await tenantScope(tx, tenantId).execute(
      `UPDATE login_challenges SET ${assignment}
        WHERE tenant_id = :tenant AND id = ? AND used_at IS NULL AND tries < ${MAX_TRIES} AND expires_at > ?
          AND ${database.beforeDeadline}`,
      [...values, idToBytes(id), now, database.deadlineValue(deadline)],
    );
    return changed > 0;
  }
}
