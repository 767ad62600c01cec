// The mails table: mails that wait to be sent, and those that were given up.
import { hexOf, hexToId, idToBytes } from '../../platform/db/ids.ts';
import { acrossTenants, tenantScope } from '../../platform/db/query/tenant-scope.ts';
import type { Database, Row, Statements } from '../../platform/db/types.ts';
import type { CleanupTarget } from '../../platform/jobs/cleanup.ts';

/** The tenant of rows that belong to no account. No tenant can have this id. */
export const NO_ACCOUNT = '.';

/** A mail that waits. The content is encrypted. */
export interface WaitingMail {
  readonly tenantId: string | undefined;
  readonly id: string;
  readonly template: string;
  readonly encrypted: Uint8Array;
  /** Unix milliseconds, like all times here. */
  readonly createdAt: number;
  readonly giveUpAt: number;
  readonly attempts: number;
  /** Set if an attempt began and its outcome is not known. */
  readonly attemptAt: number | undefined;
}

/** A mail of the list, without its content. */
export interface ListedMail extends Omit<WaitingMail, 'encrypted' | 'attemptAt'> {
  /** Undefined if the mail was given up. */
  readonly nextAt: number | undefined;
  readonly error: string | undefined;
}

export interface OutboxStats {
  readonly waiting: number;
  readonly dead: number;
  /** When the oldest waiting mail was created; undefined if none waits. */
  readonly oldestAt: number | undefined;
}

type MailAddress = Pick<WaitingMail, 'tenantId' | 'id'>;

/** Mails that were given up can be sent again for 30 days. */
export const MAILS_CLEANUP: CleanupTarget = { table: 'mails', key: ['tenant_id', 'id'], expiresAt: ['expires_at'] };

const OF_ALL_TENANTS = acrossTenants('the mails of all tenants are sent');
const COLUMNS = `CAST(tenant_id AS CHAR) AS tenant_id, ${hexOf('id')} AS id, template, created_at, give_up_at, attempts`;
const MAX_LISTED = 1_000;

/** Adds a mail in the transaction that causes it. */
export async function insertMail(
  tx: Statements,
  mail: Pick<WaitingMail, 'tenantId' | 'id' | 'template' | 'encrypted' | 'createdAt' | 'giveUpAt'>,
): Promise<void> {
  await tenantScope(tx, mail.tenantId).execute(
    `INSERT INTO mails (tenant_id, id, template, encrypted, created_at, next_at, give_up_at)
      VALUES (:tenant, ?, ?, ?, ?, ?, ?)`,
    [idToBytes(mail.id), mail.template, mail.encrypted, mail.createdAt, mail.createdAt, mail.giveUpAt],
  );
}

/** Deletes all mails, for a restored database: they may have been sent after the backup. */
export async function deleteAllMails(statements: Statements): Promise<void> {
  await statements.execute(`DELETE FROM mails WHERE ${acrossTenants('a restore ends all sessions')}`);
}

export type OutboxStore = ReturnType<typeof createOutboxStore>;

export function createOutboxStore(database: Database) {
  return {
    /** Whether a mail is due, or must be discarded. */
    async isDue(now: number): Promise<boolean> {
      const rows = await database.query(`SELECT 1 AS one FROM mails WHERE ${OF_ALL_TENANTS} AND next_at <= ? LIMIT 1`, [
        now,
      ]);
      return rows.length > 0;
    },

    /** Deletes mails that belong to no account, at most `limit`. Returns their number. */
    async discard(limit: number): Promise<number> {
      const nobody = tenantScope(database, NO_ACCOUNT);
      const last = await nobody.query<{ id: string }>(
        `SELECT ${hexOf('id')} AS id FROM mails WHERE tenant_id = :tenant ORDER BY mails.id LIMIT 1 OFFSET ${limit - 1}`,
      );
      return last[0]
        ? nobody.execute('DELETE FROM mails WHERE tenant_id = :tenant AND id <= ?', [idToBytes(hexToId(last[0].id))])
        : nobody.execute('DELETE FROM mails WHERE tenant_id = :tenant');
    },

    /**
     * Returns due mails: the oldest of each tenant, then the second of each, and so on. So a tenant that invites thousands of users
     * delays the mails of others by one at a time.
     */
    async findDue(now: number, limit: number): Promise<WaitingMail[]> {
      const rows = await database.query(
        `SELECT ${COLUMNS}, encrypted, attempt_at
           FROM (SELECT tenant_id AS due_tenant, id AS due_id, next_at AS due_at,
                        ROW_NUMBER() OVER (PARTITION BY tenant_id ORDER BY next_at) AS turn
                   FROM mails WHERE ${OF_ALL_TENANTS} AND next_at <= ? AND tenant_id <> ?
                  ORDER BY turn, due_at LIMIT ${limit}) d
           JOIN mails ON ${OF_ALL_TENANTS} AND tenant_id = due_tenant AND id = due_id ORDER BY turn, due_at`,
        [now, Buffer.from(NO_ACCOUNT)],
      );
      return rows.map((row) => ({
        ...identified(row),
        encrypted: row['encrypted'] as Uint8Array,
        attemptAt: (row['attempt_at'] as number | null) ?? undefined,
      }));
    },

    /** Begins an attempt. Returns false if another process began one. `nextAt` is the time of the next attempt if this one ends with the process. */
    async begin({ tenantId, id, attempts }: WaitingMail, now: number, nextAt: number): Promise<boolean> {
      const changed = await tenantScope(database, tenantId).execute(
        `UPDATE mails SET attempts = attempts + 1, attempt_at = ?, next_at = ?
          WHERE tenant_id = :tenant AND id = ? AND attempts = ? AND next_at IS NOT NULL`,
        [now, nextAt, idToBytes(id), attempts],
      );
      return changed > 0;
    },

    /** Deletes a mail that was sent. */
    async remove({ tenantId, id }: MailAddress): Promise<void> {
      await tenantScope(database, tenantId).execute('DELETE FROM mails WHERE tenant_id = :tenant AND id = ?', [
        idToBytes(id),
      ]);
    },

    /** Stores a failed attempt. Without `nextAt`, the mail is given up, and deleted when `expiresAt` has passed. */
    async recordFailure(
      { tenantId, id }: MailAddress,
      { nextAt, expiresAt, error, isUnknown }: FailedAttempt,
    ): Promise<void> {
      await tenantScope(database, tenantId).execute(
        `UPDATE mails SET next_at = ?, expires_at = ?, error = ?, attempt_at = ${isUnknown ? 'attempt_at' : 'NULL'}
          WHERE tenant_id = :tenant AND id = ?`,
        [nextAt ?? null, expiresAt ?? null, error.slice(0, 200), idToBytes(id)],
      );
    },

    /** Sends mails again that were given up: one, or all. Returns their number. */
    async retry(id: string | undefined, now: number, giveUpAt: number): Promise<number> {
      const [one, key] = id === undefined ? ['', []] : ['AND id = ?', [idToBytes(id)]];
      return database.execute(
        `UPDATE mails SET next_at = ?, give_up_at = ?, expires_at = NULL
          WHERE ${OF_ALL_TENANTS} AND next_at IS NULL ${one}`,
        [now, giveUpAt, ...key],
      );
    },

    /** Returns all mails, at most 1,000, the newest first. */
    async list(): Promise<ListedMail[]> {
      const rows = await database.query(
        `SELECT ${COLUMNS}, next_at, error FROM mails
          WHERE ${OF_ALL_TENANTS} AND tenant_id <> ? ORDER BY id DESC LIMIT ${MAX_LISTED}`,
        [Buffer.from(NO_ACCOUNT)],
      );
      return rows.map((row) => ({
        ...identified(row),
        nextAt: (row['next_at'] as number | null) ?? undefined,
        error: (row['error'] as string | null) ?? undefined,
      }));
    },

    async stats(): Promise<OutboxStats> {
      const [row] = await database.query<{ total: number; waiting: number; oldest: number | null }>(
        `SELECT COUNT(*) AS total, COUNT(next_at) AS waiting,
                MIN(CASE WHEN next_at IS NOT NULL THEN created_at END) AS oldest
           FROM mails WHERE ${OF_ALL_TENANTS} AND tenant_id <> ?`,
        [Buffer.from(NO_ACCOUNT)],
      );
      const { total, waiting, oldest } = row!;
      return { waiting, dead: total - waiting, oldestAt: oldest ?? undefined };
    },
  };
}

interface FailedAttempt {
  readonly nextAt: number | undefined;
  readonly expiresAt: number | undefined;
  readonly error: string;
  /** Whether the server may have accepted the mail. */
  readonly isUnknown: boolean;
}

function identified(row: Row) {
  return {
    tenantId: (row['tenant_id'] as string) || undefined,
    id: hexToId(row['id'] as string),
    template: row['template'] as string,
    createdAt: row['created_at'] as number,
    giveUpAt: row['give_up_at'] as number,
    attempts: row['attempts'] as number,
  };
}
