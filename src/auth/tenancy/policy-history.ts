// The changes of the policy of a tenant, as the audit trail has them.
import type {
  ListTenantPolicyChangesRequest,
  ListTenantPolicyChangesResponse,
  PolicyChange,
} from '../../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import type { Database } from '../../platform/db/types.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { readOwnPolicy } from '../access/policy/effective-policy.ts';
import { listEvents, type ListedEvent } from '../audit/trail/list-events.ts';
import { findTenantId, ownMessage } from './tenant-policy.ts';

/** TenancyService.ListTenantPolicyChanges. */
export function createListTenantPolicyChanges({ database }: { readonly database: Database }) {
  return loadThenHandle(
    findTenantId(database),
    async (request: ListTenantPolicyChangesRequest, call, tenantId): Promise<ListTenantPolicyChangesResponse> => {
      const scope = { everyTenant: false, tenantId } as const;
      const { events, page } = await listEvents(database, { scope, event: 'tenant.policy-changed' }, request, call);
      return { changes: events.map(changeMessage), page };
    },
  );
}

function changeMessage({ at, by, details }: ListedEvent): PolicyChange {
  const { from, to } = details as { readonly from: string; readonly to: string };
  return { at, ...(by && { by }), from: valuesOf(from), to: valuesOf(to) };
}

const valuesOf = (stored: string) => ownMessage(readOwnPolicy(JSON.parse(stored)));
