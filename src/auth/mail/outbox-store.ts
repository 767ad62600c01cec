// The mails table: mails that wait to be sent, and those that were given up.
import { hexOf, hexToId, idToBytes } from '../../platform/db/ids.ts';
import { acrossTenants, tenantScope } from '../../platform/db/query/tenant-scope.ts';
import type { Database, Row, SqlValue, Statements } from '../../platform/db/types.ts';
import { forgetMail } from './mail-token-store.ts';
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

/** Each number is at most COUNTED_TO. */
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
/** A statement changes few enough rows that it ends within its time limit. */
const RETRIED_AT_A_TIME = 500;
/** Tenants whose mails have been given up are searched, too. */
const MAX_TENANTS_SEARCHED = 1_000;
/** The statistics of a larger outbox stay cheap. */
export const COUNTED_TO = 10_000;

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
  /** The tenant at which nextDueTenants continues; undefined to begin with the first. */
  let cursor: string | undefined;

  /**
   * Returns tenants with due mails, at most `limit`, beginning after those of the last call. It searches the index for each: one
   * statement would read all mails that are due, because engines do not skip to the next tenant of an index.
   */
  async function nextDueTenants(now: number, limit: number): Promise<(string | undefined)[]> {
    const found = new Set<string>();
    let ends = cursor === undefined ? 1 : 0;
    for (let step = 0; step < MAX_TENANTS_SEARCHED && found.size < limit && ends < 2; step += 1) {
      cursor = await findTenantAfter(cursor);
      if (cursor === undefined) ends += 1;
      else if (cursor !== NO_ACCOUNT && (await hasDue(cursor || undefined, now))) found.add(cursor);
    }
    return [...found].map((tenantId) => tenantId || undefined);
  }

  /** Returns the next tenant with a mail; '' for mails without a tenant, undefined after the last. */
  async function findTenantAfter(tenantId: string | undefined): Promise<string | undefined> {
    const [next] = await database.query<{ tenant_id: string | null }>(
      `SELECT CAST(MIN(tenant_id) AS CHAR) AS tenant_id FROM mails
        WHERE ${OF_ALL_TENANTS} AND tenant_id ${tenantId === undefined ? '>=' : '>'} ?`,
      [Buffer.from(tenantId ?? '')],
    );
    return next!.tenant_id ?? undefined;
  }

  async function hasDue(tenantId: string | undefined, now: number): Promise<boolean> {
    const rows = await tenantScope(database, tenantId).query(
      'SELECT 1 AS one FROM mails WHERE tenant_id = :tenant AND next_at <= ? LIMIT 1',
      [now],
    );
    return rows.length > 0;
  }

  /** Lets mails that were given up be sent as if they were new. */
  function restart(condition: string, value: SqlValue, now: number, giveUpAt: number): Promise<number> {
    return database.execute(
      `UPDATE mails SET next_at = ?, give_up_at = ?, attempts = 0, expires_at = NULL WHERE ${OF_ALL_TENANTS} AND ${condition}`,
      [now, giveUpAt, value],
    );
  }

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
     * delays the mails of others by one at a time. The next call continues with the next tenants.
     */
    async findDue(now: number, limit: number): Promise<WaitingMail[]> {
      const tenants = await nextDueTenants(now, limit);
      const each = 2 ** Math.ceil(Math.log2(limit / Math.max(1, tenants.length)));
      const due: { readonly turn: number; readonly nextAt: number; readonly mail: WaitingMail }[] = [];
      for (const tenantId of tenants) {
        const rows = await tenantScope(database, tenantId).query(
          `SELECT ${COLUMNS}, encrypted, attempt_at, next_at FROM mails
            WHERE tenant_id = :tenant AND next_at <= ? ORDER BY next_at LIMIT ${each}`,
          [now],
        );
        due.push(...rows.map((row, turn) => ({ turn, nextAt: row['next_at'] as number, mail: toWaitingMail(row) })));
      }
      return due
        .toSorted((a, b) => a.turn - b.turn || a.nextAt - b.nextAt)
        .slice(0, limit)
        .map(({ mail }) => mail);
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

    /** Sends a mail again that was given up. Returns the number of mails: 0 or 1. */
    retry: (id: string, now: number, giveUpAt: number): Promise<number> =>
      restart('expires_at IS NOT NULL AND id = ?', idToBytes(id), now, giveUpAt),

    /** Sends all mails again that were given up before, at most `limit` in a statement. Returns their number. */
    async retryAll(now: number, giveUpAt: number, limit = RETRIED_AT_A_TIME): Promise<number> {
      // Mails that are given up meanwhile expire later.
      const [newest] = await database.query<{ expires_at: number | null }>(
        `SELECT MAX(expires_at) AS expires_at FROM mails WHERE ${OF_ALL_TENANTS}`,
      );
      const end = newest!.expires_at ?? 0;
      let count = 0;
      for (;;) {
        const [last] = await database.query<{ expires_at: number }>(
          `SELECT expires_at FROM mails WHERE ${OF_ALL_TENANTS} AND expires_at <= ?
            ORDER BY expires_at LIMIT 1 OFFSET ${limit - 1}`,
          [end],
        );
        count += await restart('expires_at <= ?', last?.expires_at ?? end, now, giveUpAt);
        if (last === undefined) return count;
      }
    },

    /** Deletes a mail that was given up. Returns false if there is none. The link of its token was never received. */
    async removeDead(id: string): Promise<boolean> {
      const count = await database.execute(
        `DELETE FROM mails WHERE ${OF_ALL_TENANTS} AND expires_at IS NOT NULL AND id = ?`,
        [idToBytes(id)],
      );
      if (count > 0) await forgetMail(database, id);
      return count > 0;
    },

    /** Returns the newest mails that wait, and those that were given up last, at most 1,000 of each, the newest first. */
    async list(): Promise<ListedMail[]> {
      const newest = (condition: string, order: string) =>
        database.query(
          `SELECT ${COLUMNS}, next_at, error FROM mails
            WHERE ${OF_ALL_TENANTS} AND expires_at ${condition} AND tenant_id <> ? ORDER BY ${order} DESC LIMIT ${MAX_LISTED}`,
          [Buffer.from(NO_ACCOUNT)],
        );
      const rows = [...(await newest('IS NULL', 'mails.id')), ...(await newest('IS NOT NULL', 'expires_at'))];
      return rows
        .map((row) => ({
          ...identified(row),
          nextAt: (row['next_at'] as number | null) ?? undefined,
          error: (row['error'] as string | null) ?? undefined,
        }))
        .toSorted((a, b) => (a.id < b.id ? 1 : -1));
    },

    async stats(): Promise<OutboxStats> {
      const countUpTo = async (condition: string): Promise<number> => {
        const [row] = await database.query<{ count: number }>(
          `SELECT COUNT(*) AS count FROM (SELECT 1 AS one FROM mails
            WHERE ${OF_ALL_TENANTS} AND expires_at ${condition} AND tenant_id <> ? LIMIT ${COUNTED_TO}) counted`,
          [Buffer.from(NO_ACCOUNT)],
        );
        return row!.count;
      };
      // Ids ascend with time.
      const [oldest] = await database.query<{ created_at: number }>(
        `SELECT created_at FROM mails WHERE ${OF_ALL_TENANTS} AND expires_at IS NULL AND tenant_id <> ? ORDER BY id LIMIT 1`,
        [Buffer.from(NO_ACCOUNT)],
      );
      return {
        waiting: await countUpTo('IS NULL'),
        dead: await countUpTo('IS NOT NULL'),
        oldestAt: oldest?.created_at,
      };
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

function toWaitingMail(row: Row): WaitingMail {
  return {
    ...identified(row),
    encrypted: row['encrypted'] as Uint8Array,
    attemptAt: (row['attempt_at'] as number | null) ?? undefined,
  };
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
