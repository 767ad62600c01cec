// Moves the ends of sessions: later when their user uses an application, earlier by a policy or the deletion of their account.
// The session_families table: see session-store.ts.
import type { Deadline } from '../../platform/clock.ts';
import { bytesToId, idToBytes } from '../../platform/db/ids.ts';
import { byPrimaryKey } from '../../platform/db/query/hints.ts';
import { tenantScope } from '../../platform/db/query/tenant-scope.ts';
import type { Database, SqlValue, Statements } from '../../platform/db/types.ts';
import type { Account } from '../access/account.ts';
import type { OwnPolicy } from '../access/policy/policy-fields.ts';
import type { RevocationReason, SessionAddress } from './session.ts';

/** The ends of a session after a use, Unix milliseconds. No end becomes earlier. */
interface SessionUse {
  readonly now: number;
  readonly expiresAt: number;
  readonly accessExpiresAt: number;
}

const LATER = (column: string) => `${column} = CASE WHEN ${column} < ? THEN ? ELSE ${column} END`;

const ENDED_WITH_ALL = `SELECT 1 FROM accounts owner
  WHERE owner.tenant_id = :tenant AND owner.id = session_families.account_id AND owner.sessions_ended_through >= session_families.id`;

/** Returns false if the session has ended, alone or with all of its account, or does not exist, or if the deadline has passed. */
export async function storeSessionUse(
  database: Pick<Database, 'beforeDeadline' | 'deadlineValue'>,
  tx: Statements,
  { tenantId, id }: SessionAddress,
  { now, expiresAt, accessExpiresAt }: SessionUse,
  deadline: Deadline,
): Promise<boolean> {
  const changed = await tenantScope(tx, tenantId).execute(
    `UPDATE ${byPrimaryKey('session_families')}
        SET ${LATER('refreshed_at')}, ${LATER('idle_expires_at')}, ${LATER('access_expires_at')}
      WHERE tenant_id = :tenant AND id = ? AND revoked_at IS NULL AND idle_expires_at > ? AND ${database.beforeDeadline}
        AND NOT EXISTS (${ENDED_WITH_ALL})`,
    [
      now,
      now,
      expiresAt,
      expiresAt,
      accessExpiresAt,
      accessExpiresAt,
      idToBytes(id),
      now,
      database.deadlineValue(deadline),
    ],
  );
  return changed > 0;
}

type Limits = Pick<OwnPolicy, 'sessionIdleWindow' | 'sessionAbsoluteLifetime'>;

/** Later than all times. */
const NEVER = 8.64e15;

/** Returns the end that a policy gives to a row, as SQL, and its values. */
function endOf({ sessionIdleWindow, sessionAbsoluteLifetime }: Limits) {
  const [idle, absolute] = [sessionIdleWindow, sessionAbsoluteLifetime].map((seconds) =>
    seconds === undefined ? NEVER : seconds * 1000,
  );
  return {
    sql: 'CASE WHEN refreshed_at + ? < created_at + ? THEN refreshed_at + ? ELSE created_at + ? END',
    values: [idle!, absolute!, idle!, absolute!] satisfies SqlValue[],
  };
}

/**
 * Shortens the stored ends of the next sessions of a tenant to those of its policy, in the order of their ids. Returns the id of the last
 * one; undefined if no later one is too long. A refresh sets the end again, by the policy of that moment.
 */
export async function shortenNext(
  database: Statements,
  { tenantId, own }: { readonly tenantId: string; readonly own: Limits },
  after: string | undefined,
  size: number,
): Promise<string | undefined> {
  if (own.sessionIdleWindow === undefined && own.sessionAbsoluteLifetime === undefined) return undefined;
  const scope = tenantScope(database, tenantId);
  const end = endOf(own);
  const isTooLong = `credential_form = 'COOKIE' AND idle_expires_at > ${end.sql}`;
  const rows = await scope.query<{ id: Uint8Array }>(
    `SELECT id FROM session_families WHERE tenant_id = :tenant AND id > ? AND revoked_at IS NULL AND ${isTooLong}
      ORDER BY id LIMIT ${size}`,
    [after === undefined ? Buffer.alloc(16) : idToBytes(after), ...end.values],
  );
  if (rows.length === 0) return undefined;
  await scope.execute(
    `UPDATE session_families SET idle_expires_at = ${end.sql}
      WHERE tenant_id = :tenant AND id IN (${rows.map(() => '?').join(', ')}) AND ${isTooLong}`,
    [...end.values, ...rows.map(({ id }) => id), ...end.values],
  );
  return bytesToId(rows.at(-1)!.id);
}

/** Shortens the stored end of a session, unless it was refreshed since. */
export async function shortenSession(
  db: Statements,
  { tenantId, id }: SessionAddress,
  { refreshedAt, expiresAt }: { readonly refreshedAt: number; readonly expiresAt: number },
): Promise<void> {
  await tenantScope(db, tenantId).execute(
    `UPDATE session_families SET idle_expires_at = ?
      WHERE tenant_id = :tenant AND id = ? AND refreshed_at = ? AND idle_expires_at > ?`,
    [expiresAt, idToBytes(id), refreshedAt, expiresAt],
  );
}

/**
 * Revokes the sessions of an account that is deleted in the same transaction: what has ended them together is in its row. Its access tokens
 * are refused without the row.
 */
export async function endSessionsOfDeleted(
  tx: Statements,
  { tenantId, id }: Pick<Account, 'tenantId' | 'id'>,
  now: number,
): Promise<void> {
  const reason: RevocationReason = 'account-changed';
  await tenantScope(tx, tenantId).execute(
    `UPDATE session_families SET revoked_at = ?, revoked_reason = ? WHERE tenant_id = :tenant AND account_id = ? AND revoked_at IS NULL`,
    [now, reason, idToBytes(id)],
  );
}
