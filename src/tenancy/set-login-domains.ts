import type {
  SetLoginDomainsRequest,
  SetLoginDomainsResponse,
} from '../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Clock } from '../clock.ts';
import type { Database, Statements } from '../db/types.ts';
import { ServiceError } from '../errors.ts';
import { createRequestCheck } from '../request-check.ts';
import { loadThenHandle } from '../rpc/service.ts';
import { describeTenants } from './describe-tenants.ts';
import { existingTenant } from './get-tenant.ts';
import { parseLoginDomain } from './login-domain.ts';
import {
  deleteLoginDomain,
  insertLoginDomain,
  lockLoginDomains,
  selectDomainsOf,
  selectOwners,
} from './login-domain-store.ts';

export interface SetLoginDomainsDependencies {
  readonly database: Database;
  readonly audit: AuditLog;
  readonly clock: Clock;
}

/** TenancyService.SetLoginDomains: whoever is first owns a domain, also of two who ask at the same moment. */
export function createSetLoginDomains({ database, audit, clock }: SetLoginDomainsDependencies) {
  return loadThenHandle(
    ({ tenantId }: SetLoginDomainsRequest) => existingTenant(database, tenantId),
    async (request, call, tenant): Promise<SetLoginDomainsResponse> => {
      const wanted = checkDomains(request.loginDomains);
      await audit.commit(call, async (tx, record) => {
        await lockLoginDomains(database, tx, call.deadline);
        await refuseOwned(tx, wanted, tenant.id);
        const before = (await selectDomainsOf(tx, [tenant.id])).map(({ domain }) => domain);
        const added = wanted.filter((domain) => !before.includes(domain));
        const removed = before.filter((domain) => !wanted.includes(domain));
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

/** The domains as they are stored. Throws VALIDATION_ERROR. */
function checkDomains(values: readonly string[]): string[] {
  const check = createRequestCheck();
  const domains = values.map(parseLoginDomain);
  for (const [index, domain] of domains.entries()) {
    const props = ['loginDomains', `${index}`];
    if (domain === undefined) check.violate({ message: 'must be a domain name', format: 'domain', props });
    else if (domains.indexOf(domain) < index)
      check.violate({ message: 'is given twice', format: 'uniqueItems', props });
  }
  check.assertValid('The login domains cannot be set');
  return domains.filter((domain) => domain !== undefined);
}

async function refuseOwned(tx: Statements, domains: readonly string[], tenantId: string): Promise<void> {
  const owners = await selectOwners(tx, domains);
  const taken = domains.filter((domain) => (owners.get(domain) ?? tenantId) !== tenantId);
  if (taken.length === 0) return;
  throw new ServiceError('CONFLICT', { publicMessage: `Another tenant owns the login domain ${taken[0]}` });
}
