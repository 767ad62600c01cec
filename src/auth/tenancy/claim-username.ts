import type { Database, Statements } from '../../platform/db/types.ts';
import { domainOfUsername } from '../../platform/formats/names.ts';
import { lockAndFindDomainOwner, selectOwners } from './login-domain-store.ts';

/**
 * Whether a tenant may create this canonical username: false if it lies under a login domain of another tenant. In a
 * transaction, the result holds until it ends.
 */
export async function canClaimUsername(
  database: Database,
  tx: Statements,
  username: string,
  tenantId: string | undefined,
): Promise<boolean> {
  const domain = domainOfUsername(username);
  if (domain === undefined) return true;
  const owner = await lockAndFindDomainOwner(database, tx, domain);
  return owner === undefined || owner === tenantId;
}

/** Returns those of the accounts whose usernames lie under a login domain of another tenant, like canClaimUsername. */
export async function findUnclaimable<
  Claim extends { readonly username: string; readonly tenantId: string | undefined },
>(database: Database, tx: Statements, claims: readonly Claim[]): Promise<readonly Claim[]> {
  const domains = new Set(
    claims.map(({ username }) => domainOfUsername(username)).filter((domain) => domain !== undefined),
  );
  const [first, ...others] = domains;
  if (first === undefined) return [];
  const ownerOfFirst = await lockAndFindDomainOwner(database, tx, first);
  const owners = new Map(others.length === 0 ? [] : await selectOwners(tx, others));
  if (ownerOfFirst !== undefined) owners.set(first, ownerOfFirst);
  return claims.filter(({ username, tenantId }) => {
    const owner = owners.get(domainOfUsername(username) ?? '');
    return owner !== undefined && owner !== tenantId;
  });
}
