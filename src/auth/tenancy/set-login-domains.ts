import type {
  SetLoginDomainsRequest,
  SetLoginDomainsResponse,
} from '../../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import type { Statements } from '../../platform/db/types.ts';
import { createRequestViolations } from '../../platform/rpc/request-violations.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { describeTenants, existingTenant, type TenantDependencies } from './tenants.ts';
import {
  deleteLoginDomain,
  insertLoginDomain,
  lockNames,
  selectDomainsOf,
  selectOwners,
} from './login-domain-store.ts';
import { refusal } from '../access/refusals.ts';

/** TenancyService.SetLoginDomains. The first tenant to claim a domain owns it, also under concurrent requests. */
export function createSetLoginDomains({ database, audit, clock }: TenantDependencies) {
  return loadThenHandle(
    ({ tenantId }: SetLoginDomainsRequest) => existingTenant(database, tenantId),
    async ({ loginDomains: domains }, call, tenant): Promise<SetLoginDomainsResponse> => {
      assertDistinct(domains);
      await audit.commit(call, async (tx, record) => {
        await lockNames(database, tx, call.deadline);
        await refuseOwned(tx, domains, tenant.id);
        const before = (await selectDomainsOf(tx, [tenant.id])).map(({ domain }) => domain);
        const added = domains.filter((domain) => !before.includes(domain));
        const removed = before.filter((domain) => !domains.includes(domain));
        for (const domain of removed) await deleteLoginDomain(tx, { domain, tenantId: tenant.id });
        for (const domain of added) await insertLoginDomain(tx, { domain, tenantId: tenant.id }, clock());
        if (added.length + removed.length === 0) return;
        const details = { added: added.join(), removed: removed.join() };
        record({
          event: 'tenant.login-domains-set',
          tenantId: tenant.id,
          actorId: call.principal!.account.id,
          details,
        });
      });
      const [described] = await describeTenants(database, [tenant]);
      return { tenant: described };
    },
  );
}

/** Throws VALIDATION_ERROR if a domain is given twice, in whichever spelling. */
function assertDistinct(domains: readonly string[]): void {
  const violations = createRequestViolations();
  for (const [index, domain] of domains.entries()) {
    if (domains.indexOf(domain) === index) continue;
    violations.add({ message: 'must not be a duplicate', format: 'uniqueItems', props: ['loginDomains', `${index}`] });
  }
  violations.assertNone();
}

async function refuseOwned(tx: Statements, domains: readonly string[], tenantId: string): Promise<void> {
  const owners = await selectOwners(tx, domains);
  const taken = domains.filter((domain) => (owners.get(domain) ?? tenantId) !== tenantId);
  if (taken.length === 0) return;
  const props = ['loginDomains', `${domains.indexOf(taken[0]!)}`];
  throw refusal('loginDomainTaken', { domain: taken[0]! }, { props });
}
