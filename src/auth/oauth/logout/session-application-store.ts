// The session_applications table: which applications a session has logged in, until its end is sent to them.
import { bytesToId, idToBytes } from '../../../platform/db/ids.ts';
import { acrossTenants, tenantBytes, tenantScope } from '../../../platform/db/query/tenant-scope.ts';
import type { Database, Statements } from '../../../platform/db/types.ts';
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
    [idToBytes(sessionId), idToBytes(applicationId), idToBytes(accountId), now + CHECK_INTERVAL_MS],
  );
}

/** Lets the job look at a session at once, from the commit on. */
export async function noticeEnd(tx: Statements, { tenantId, id }: SessionAddress): Promise<void> {
  await tenantScope(tx, tenantId).execute(
    'UPDATE session_applications SET check_at = 0 WHERE tenant_id = :tenant AND session_id = ?',
    [idToBytes(id)],
  );
}

/** Lets the job look at the sessions that revocations after a moment have ended with their account or tenant. */
export async function noticeRevocations(database: Database, changedAfter: number): Promise<void> {
  const ofAccount = "r.kind IN ('sessions', 'account') AND r.subject = session_applications.account_id";
  const ofTenant = "r.kind = 'tenant' AND r.subject = session_applications.tenant_id";
  const [any] = await database.query<{ total: number }>(
    "SELECT COUNT(*) AS total FROM revocations WHERE changed_at > ? AND kind IN ('sessions', 'account', 'tenant')",
    [changedAfter],
  );
  if (any!.total === 0) return;
  for (const condition of [ofAccount, ofTenant])
    await database.execute(
      `UPDATE session_applications SET check_at = 0 WHERE ${OF_ALL_TENANTS} AND check_at > 0
        AND EXISTS (SELECT 1 FROM revocations r WHERE ${condition} AND r.changed_at > ?)`,
      [changedAfter],
    );
}

/** Returns the applications of sessions that have to be looked at. */
export async function selectToCheck(
  database: Database,
  now: number,
  limit: number,
): Promise<readonly SessionApplication[]> {
  const rows = await database.query<{
    tenant_id: string;
    session_id: Uint8Array;
    account_id: Uint8Array;
    application_id: Uint8Array;
  }>(
    `SELECT CAST(tenant_id AS CHAR) AS tenant_id, session_id, account_id, application_id FROM session_applications
      WHERE ${OF_ALL_TENANTS} AND check_at <= ? ORDER BY check_at LIMIT ${limit}`,
    [now],
  );
  return rows.map((row) => ({
    tenantId: row.tenant_id || undefined,
    sessionId: bytesToId(row.session_id),
    accountId: bytesToId(row.account_id),
    applicationId: bytesToId(row.application_id),
  }));
}

const KEY = 'tenant_id = ? AND session_id = ? AND application_id = ?';
const keyOf = ({ tenantId, sessionId, applicationId }: SessionApplication) => [
  tenantBytes(tenantId),
  idToBytes(sessionId),
  idToBytes(applicationId),
];

/** Forgets an application of a session. Returns false if another process has done so. */
export async function takeSessionApplication(tx: Statements, one: SessionApplication): Promise<boolean> {
  return (await tx.execute(`DELETE FROM session_applications WHERE ${KEY}`, keyOf(one))) > 0;
}

/** Looks at a live session again later. */
export async function checkLater(database: Database, one: SessionApplication, checkAt: number): Promise<void> {
  await database.execute(`UPDATE session_applications SET check_at = ? WHERE ${KEY}`, [checkAt, ...keyOf(one)]);
}
