// Consents: the scopes that a user has allowed an application. The consents table.
import { bytesToId, hexOf, hexToId, idToBytes, newId } from '../../../platform/db/ids.ts';
import { batchLoader } from '../../../platform/db/query/batch-loader.ts';
import { pairsIn } from '../../../platform/db/query/hints.ts';
import { acrossTenants, tenantBytes, tenantScope } from '../../../platform/db/query/tenant-scope.ts';
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

/** What a user has allowed an application. One that was revoked and given again has another id. */
export interface Consent {
  readonly id: string;
  readonly scopes: readonly Scope[];
}

/** Reads a consent at every call; undefined if there is none. Concurrent calls share a query. */
export type FindConsent = (consent: ConsentAddress) => Promise<Consent | undefined>;

export function createFindConsent(database: Database): FindConsent {
  const byKey = batchLoader(async (keys) => {
    const rows = await database.query<{
      tenant: string;
      account: string;
      application: string;
      id: string;
      scopes: string;
    }>(
      `SELECT CAST(tenant_id AS CHAR) AS tenant, ${hexOf('account_id')} AS account, ${hexOf('application_id')} AS application,
         ${hexOf('id')} AS id, scopes FROM consents
        WHERE ${pairsIn(database.engine, 'tenant_id, account_id, application_id', keys.length)}`,
      keys.flatMap((key) => {
        const [tenantId, accountId, applicationId] = key.split('/') as [string, string, string];
        return [tenantBytes(tenantId || undefined), idToBytes(accountId), idToBytes(applicationId)];
      }),
    );
    return new Map(
      rows.map(({ tenant, account, application, id, scopes }) => [
        `${tenant}/${hexToId(account)}/${hexToId(application)}`,
        { id: hexToId(id), scopes: readScopes(scopes) },
      ]),
    );
  });
  return ({ tenantId = '', accountId, applicationId }) => byKey(`${tenantId}/${accountId}/${applicationId}`);
}

async function readConsent(db: Statements, consent: ConsentAddress): Promise<Consent | undefined> {
  const [row] = await tenantScope(db, consent.tenantId).query<{ id: Uint8Array; scopes: string }>(
    `SELECT id, scopes FROM consents ${ADDRESSED}`,
    valuesOf(consent),
  );
  return row && { id: bytesToId(row.id), scopes: readScopes(row.scopes) };
}

/** Locks a consent until the transaction ends. Returns false if it was revoked. */
export async function holdConsent(tx: Statements, consent: ConsentAddress, id: string, now: number): Promise<boolean> {
  return (await touch(tx, consent, now, 'AND id = ?', [idToBytes(id)])) > 0;
}

/** Adds scopes to a consent, and locks it until the transaction ends. The account is locked. Returns its id, and the new ones. */
export async function addConsent(
  tx: Statements,
  consent: ConsentAddress,
  scopes: readonly Scope[],
  now: number,
): Promise<{ readonly id: string; readonly added: readonly Scope[] }> {
  const scope = tenantScope(tx, consent.tenantId);
  if ((await touch(tx, consent, now)) === 0) {
    const id = newId();
    await scope.execute(
      'INSERT INTO consents (tenant_id, account_id, application_id, id, scopes, created_at, updated_at) VALUES (:tenant, ?, ?, ?, ?, ?, ?)',
      [...valuesOf(consent), idToBytes(id), scopes.join(' '), now, now],
    );
    return { id, added: scopes };
  }
  const { id, scopes: known } = (await readConsent(tx, consent))!;
  const added = scopes.filter((one) => !known.includes(one));
  const all = SCOPES.filter((one) => known.includes(one) || added.includes(one)).join(' ');
  await scope.execute(`UPDATE consents SET scopes = ? ${ADDRESSED}`, [all, ...valuesOf(consent)]);
  return { id, added };
}

/** Writes a time that is always later: Galera compares only the rows that transactions have written with another value. */
const touch = (
  tx: Statements,
  consent: ConsentAddress,
  now: number,
  condition = '',
  values: readonly Buffer[] = [],
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
