import type { Deadline } from '../../platform/clock.ts';
import type { Database, Statements } from '../../platform/db/types.ts';
import { domainOfUsername } from '../../platform/formats/names.ts';
import { insertLoginDomain, holdNames, lockNames, selectOwners } from './login-domain-store.ts';

export { holdNames, lockNames } from './login-domain-store.ts';

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
  await holdNames(database, tx);
  const domain = domainOfUsername(username);
  if (domain === undefined) return true;
  const owner = (await selectOwners(tx, [domain])).get(domain);
  return owner === undefined || owner === tenantId;
}

/** Returns the tenant that owns the login domain of a username; undefined if it has none. */
export async function findDomainOwner(database: Statements, username: string): Promise<string | undefined> {
  const domain = domainOfUsername(username);
  return domain === undefined ? undefined : (await selectOwners(database, [domain])).get(domain);
}

/** Returns those of the accounts whose usernames lie under a login domain of another tenant, like canClaimUsername. */
export async function findUnclaimable<
  Claim extends { readonly username: string; readonly tenantId: string | undefined },
>(database: Database, tx: Statements, claims: readonly Claim[]): Promise<readonly Claim[]> {
  const domains = new Set(
    claims.map(({ username }) => domainOfUsername(username)).filter((domain) => domain !== undefined),
  );
  await holdNames(database, tx);
  const owners = await selectOwners(tx, [...domains]);
  return claims.filter(({ username, tenantId }) => {
    const owner = owners.get(domainOfUsername(username) ?? '');
    return owner !== undefined && owner !== tenantId;
  });
}

/**
 * Adds the unowned ones of these domains to a tenant. Returns their number and the domains that belong to other
 * tenants.
 */
export async function addLoginDomains(
  database: Database,
  { tenantId, domains }: { readonly tenantId: string; readonly domains: readonly string[] },
  now: number,
  deadline: Deadline,
): Promise<{ readonly added: number; readonly taken: readonly string[] }> {
  return database.transaction(deadline, async (tx) => {
    await lockNames(database, tx, deadline);
    const owners = await selectOwners(tx, domains);
    const free = domains.filter((domain) => !owners.has(domain));
    for (const domain of free) await insertLoginDomain(tx, { domain, tenantId }, now);
    return { added: free.length, taken: domains.filter((domain) => (owners.get(domain) ?? tenantId) !== tenantId) };
  });
}
