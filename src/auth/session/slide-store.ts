// Restarts the idle window of sessions whose user uses an application. The session_families table: see session-store.ts.
import type { Deadline } from '../../platform/clock.ts';
import { idToBytes } from '../../platform/db/ids.ts';
import { byPrimaryKey } from '../../platform/db/query/hints.ts';
import { tenantScope } from '../../platform/db/query/tenant-scope.ts';
import type { Database, Statements } from '../../platform/db/types.ts';
import type { SessionAddress } from './session.ts';

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
