import type { Deadline } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import { insertLoginDomain, lockLoginDomains, selectOwners } from './login-domain-store.ts';

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
    await lockLoginDomains(database, tx, deadline);
    const owners = await selectOwners(tx, domains);
    const free = domains.filter((domain) => !owners.has(domain));
    for (const domain of free) await insertLoginDomain(tx, { domain, tenantId }, now);
    return { added: free.length, taken: domains.filter((domain) => (owners.get(domain) ?? tenantId) !== tenantId) };
  });
}
