// Consents: the scopes that a user has allowed an application. The consents table.
import { idToBytes } from '../../../platform/db/ids.ts';
import { tenantScope } from '../../../platform/db/query/tenant-scope.ts';
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

/** Returns whether a user has allowed all of some scopes. The consent stays until the transaction ends. */
export async function holdsConsent(
  { shareLock }: Pick<Database, 'shareLock'>,
  tx: Statements,
  consent: ConsentAddress,
  scopes: readonly Scope[],
): Promise<boolean> {
  const [row] = await tenantScope(tx, consent.tenantId).query<{ scopes: string }>(
    `SELECT scopes FROM consents ${ADDRESSED} ${shareLock}`,
    valuesOf(consent),
  );
  const allowed = row ? readScopes(row.scopes) : [];
  return scopes.every((scope) => allowed.includes(scope));
}

/** Adds scopes to a consent. Returns the new ones. The account is locked. */
export async function addConsent(
  tx: Statements,
  consent: ConsentAddress,
  scopes: readonly Scope[],
  now: number,
): Promise<readonly Scope[]> {
  const known = await findConsent(tx, consent);
  const added = scopes.filter((scope) => !known.includes(scope));
  const all = SCOPES.filter((scope) => known.includes(scope) || added.includes(scope)).join(' ');
  const scope = tenantScope(tx, consent.tenantId);
  const changed = await scope.execute(`UPDATE consents SET scopes = ?, updated_at = ? ${ADDRESSED}`, [
    all,
    now,
    ...valuesOf(consent),
  ]);
  if (changed === 0)
    await scope.execute(
      'INSERT INTO consents (tenant_id, account_id, application_id, scopes, created_at, updated_at) VALUES (:tenant, ?, ?, ?, ?, ?)',
      [...valuesOf(consent), all, now, now],
    );
  return added;
}

/** Forgets a consent. Returns false if there was none. */
export async function deleteConsent(tx: Statements, consent: ConsentAddress): Promise<boolean> {
  return (await tenantScope(tx, consent.tenantId).execute(`DELETE FROM consents ${ADDRESSED}`, valuesOf(consent))) > 0;
}
