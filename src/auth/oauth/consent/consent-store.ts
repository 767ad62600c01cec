// Consents: the scopes that a user has allowed an application. The consents table.
import { DatabaseError } from '../../../platform/db/errors.ts';
import { idToBytes } from '../../../platform/db/ids.ts';
import { acrossTenants, tenantScope } from '../../../platform/db/query/tenant-scope.ts';
import type { Database, Statements } from '../../../platform/db/types.ts';
import { readScopes, SCOPES, type Scope } from '../scopes.ts';

/** Identifies a consent: the account, and the application. */
export interface ConsentAddress {
  readonly tenantId: string | undefined;
  readonly accountId: string;
  readonly applicationId: string;
}

const ADDRESSED = 'WHERE tenant_id = :tenant AND account_id = ? AND application_id = ?';
const valuesOf = ({ accountId, applicationId }: ConsentAddress) => [idToBytes(accountId), idToBytes(applicationId)];

/** Returns the scopes that a user has allowed an application; none without a consent. */
export async function findConsent(db: Statements, consent: ConsentAddress): Promise<readonly Scope[]> {
  const [row] = await tenantScope(db, consent.tenantId).query<{ scopes: string }>(
    `SELECT scopes FROM consents ${ADDRESSED}`,
    valuesOf(consent),
  );
  return row ? readScopes(row.scopes) : [];
}

/** Locks a consent until the transaction ends. Returns false if it is no longer what was read. A consent to nothing is always there. */
export async function holdConsent(
  tx: Statements,
  consent: ConsentAddress,
  read: readonly Scope[],
  now: number,
): Promise<boolean> {
  if (read.length === 0) return true;
  return (await touch(tx, consent, now, 'AND scopes = ?', [read.join(' ')])) > 0;
}

/**
 * Adds scopes to a consent, and locks it until the transaction ends. Returns the new ones; undefined if another tab has just given the
 * first consent. The transaction must then be repeated.
 */
export async function addConsent(
  tx: Statements,
  consent: ConsentAddress,
  scopes: readonly Scope[],
  now: number,
): Promise<readonly Scope[] | undefined> {
  const scope = tenantScope(tx, consent.tenantId);
  if ((await touch(tx, consent, now)) === 0) {
    try {
      await scope.execute(
        'INSERT INTO consents (tenant_id, account_id, application_id, scopes, created_at, updated_at) VALUES (:tenant, ?, ?, ?, ?, ?)',
        [...valuesOf(consent), scopes.join(' '), now, now],
      );
      return scopes;
    } catch (error) {
      // The engine has locked the row of the other tab for reading. Two tabs that write it then would wait for each other.
      if (error instanceof DatabaseError && error.kind === 'duplicate') return undefined;
      throw error;
    }
  }
  const known = await findConsent(tx, consent);
  const added = scopes.filter((one) => !known.includes(one));
  const all = SCOPES.filter((one) => known.includes(one) || added.includes(one)).join(' ');
  await scope.execute(`UPDATE consents SET scopes = ? ${ADDRESSED}`, [all, ...valuesOf(consent)]);
  return added;
}

/** Writes a time that is always later: Galera compares only the rows that transactions have written with another value. */
const touch = (
  tx: Statements,
  consent: ConsentAddress,
  now: number,
  condition = '',
  values: readonly string[] = [],
): Promise<number> =>
  tenantScope(tx, consent.tenantId).execute(
    `UPDATE consents SET updated_at = CASE WHEN updated_at < ? THEN ? ELSE updated_at + 1 END ${ADDRESSED} ${condition}`,
    [now, now, ...valuesOf(consent), ...values],
  );

/** Forgets a consent. Returns false if there was none. */
export async function deleteConsent(tx: Statements, consent: ConsentAddress): Promise<boolean> {
  return (await tenantScope(tx, consent.tenantId).execute(`DELETE FROM consents ${ADDRESSED}`, valuesOf(consent))) > 0;
}

const OF_ALL_TENANTS = acrossTenants('consents to an application that no longer exists');

/** Returns the first application after one, by their ids, to which there are consents, and whether it exists. */
export async function findNextConsented(
  db: Statements,
  after: Buffer,
): Promise<{ readonly applicationId: Buffer; readonly exists: boolean } | undefined> {
  const [row] = await db.query<{ id: Uint8Array; known: number }>(
    `SELECT c.application_id AS id,
       EXISTS (SELECT 1 FROM applications p WHERE ${OF_ALL_TENANTS} AND p.id = c.application_id) AS known
       FROM consents c WHERE ${OF_ALL_TENANTS} AND c.application_id > ? ORDER BY c.application_id LIMIT 1`,
    [after],
  );
  return row && { applicationId: Buffer.from(row.id), exists: row.known === 1 };
}

const DELETE: Record<Database['engine'], (condition: string, size: number) => string> = {
  mysql: (condition, size) => `DELETE FROM consents WHERE ${condition} LIMIT ${size}`,
  // Most builds of SQLite do not support LIMIT in DELETE.
  sqlite: (condition, size) =>
    `DELETE FROM consents WHERE rowid IN (SELECT rowid FROM consents WHERE ${condition} LIMIT ${size})`,
};

/** Deletes at most `size` consents to an application. Returns their number. */
export function deleteConsentsTo(
  database: Pick<Database, 'engine' | 'execute'>,
  applicationId: Buffer,
  size: number,
): Promise<number> {
  return database.execute(DELETE[database.engine](`${OF_ALL_TENANTS} AND application_id = ?`, size), [applicationId]);
}
