// The session_applications table: which applications a session has logged in, until its end is sent to them.
import { bytesToId, idToBytes } from '../../../platform/db/ids.ts';
import { byPrimaryKey, pairsIn } from '../../../platform/db/query/hints.ts';
import { acrossTenants, tenantBytes, tenantScope } from '../../../platform/db/query/tenant-scope.ts';
import type { Database, Row, SqlValue, Statements } from '../../../platform/db/types.ts';
import type { SessionAddress } from '../../session/session.ts';

/** An application of a session. */
export interface SessionApplication {
  readonly tenantId: string | undefined;
  readonly sessionId: string;
  readonly accountId: string;
  readonly applicationId: string;
}

/** How often a session is looked at whose end was not noticed: its policy can have changed. */
export const CHECK_INTERVAL_MS = 240_000;
/** Earlier, so that a new session counts as older than a revocation that another process, with a clock behind, sees after it. */
const FIRST_CHECK_MS = CHECK_INTERVAL_MS - 30_000;
/** The time of sessions that have ended. It is set for no session that lives. */
export const ENDED = 0;

const OF_ALL_TENANTS = acrossTenants('the ends of all sessions are sent');

/** Remembers that a session has a grant of an application. */
export async function addSessionApplication(
  { engine }: Pick<Database, 'engine'>,
  tx: Statements,
  { tenantId, sessionId, accountId, applicationId }: SessionApplication,
  now: number,
): Promise<void> {
  const ignore = engine === 'sqlite' ? 'OR IGNORE' : 'IGNORE';
  await tenantScope(tx, tenantId).execute(
    `INSERT ${ignore} INTO session_applications (tenant_id, session_id, application_id, account_id, check_at)
      VALUES (:tenant, ?, ?, ?, ?)`,
    [idToBytes(sessionId), idToBytes(applicationId), idToBytes(accountId), now + FIRST_CHECK_MS],
  );
}

/** Lets the job look at a session at once, from the commit on. */
export async function noticeEnd(tx: Statements, { tenantId, id }: SessionAddress): Promise<void> {
  await tenantScope(tx, tenantId).execute(
    `UPDATE ${byPrimaryKey('session_applications')} SET check_at = ${ENDED} WHERE tenant_id = :tenant AND session_id = ?`,
    [idToBytes(id)],
  );
}

/** Returns the applications of sessions that are due at a time. */
export function selectDue(database: Database, now: number, limit: number): Promise<readonly SessionApplication[]> {
  return select(database, 'check_at <= ? ORDER BY check_at', [now], limit);
}

/** Returns the applications of the sessions of accounts that were not looked at since a time. */
export function selectOfAccounts(
  database: Database,
  accountIds: readonly string[],
  since: number,
  limit: number,
): Promise<readonly SessionApplication[]> {
  const places = accountIds.map(() => '?').join(', ');
  const values = [...accountIds.map(idToBytes), since + CHECK_INTERVAL_MS];
  return select(database, `account_id IN (${places}) AND check_at < ?`, values, limit);
}

/** Returns the applications of the sessions of a tenant that were not looked at since a time. */
export function selectOfTenant(
  database: Database,
  tenantId: string,
  since: number,
  limit: number,
): Promise<readonly SessionApplication[]> {
  return select(database, 'tenant_id = ? AND check_at < ?', [tenantBytes(tenantId), since + CHECK_INTERVAL_MS], limit);
}

async function select(database: Database, condition: string, values: readonly SqlValue[], limit: number) {
  const rows = await database.query(
    `SELECT CAST(tenant_id AS CHAR) AS tenant_id, session_id, account_id, application_id FROM session_applications
      WHERE ${OF_ALL_TENANTS} AND ${condition} LIMIT ${limit}`,
    values,
  );
  return rows.map(read);
}

function read(row: Row): SessionApplication {
  return {
    tenantId: (row['tenant_id'] as string) || undefined,
    sessionId: bytesToId(row['session_id'] as Uint8Array),
    accountId: bytesToId(row['account_id'] as Uint8Array),
    applicationId: bytesToId(row['application_id'] as Uint8Array),
  };
}

/** Forgets applications of one session. Returns how many there were. */
export async function takeSessionApplications(tx: Statements, taken: readonly SessionApplication[]): Promise<number> {
  const { tenantId, sessionId } = taken[0]!;
  return tenantScope(tx, tenantId).execute(
    `DELETE FROM session_applications
      WHERE tenant_id = :tenant AND session_id = ? AND application_id IN (${taken.map(() => '?').join(', ')})`,
    [idToBytes(sessionId), ...taken.map(({ applicationId }) => idToBytes(applicationId))],
  );
}

/** Looks at live sessions again later, except those that have ended since they were looked at. */
export async function checkLater(
  database: Database,
  sessions: readonly Pick<SessionApplication, 'tenantId' | 'sessionId'>[],
  now: number,
): Promise<void> {
  if (sessions.length === 0) return;
  await database.execute(
    `UPDATE ${byPrimaryKey('session_applications')} SET check_at = ?
      WHERE ${pairsIn(database.engine, 'tenant_id, session_id', sessions.length)} AND check_at > ${ENDED}`,
    [
      now + CHECK_INTERVAL_MS,
      ...sessions.flatMap(({ tenantId, sessionId }) => [tenantBytes(tenantId), idToBytes(sessionId)]),
    ],
  );
}
