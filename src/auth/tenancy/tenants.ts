import type {
  ActivateTenantRequest,
  CreateTenantRequest,
  CreateTenantResponse,
  GetTenantRequest,
  GetTenantResponse,
  ListTenantsRequest,
  ListTenantsResponse,
  SuspendTenantRequest,
  SuspendTenantResponse,
  Tenant as TenantMessage,
} from '../../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import type { Clock } from '../../platform/clock.ts';
import { DatabaseError } from '../../platform/db/errors.ts';
import type { Complete } from '../../platform/db/record.ts';
import type { Database, Statements } from '../../platform/db/types.ts';
import { ServiceError } from '../../platform/errors.ts';
import { listPageInfo, listPageOf } from '../../platform/rpc/paging.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import type { Call } from '../access/principal.ts';
import type { AuditLog } from '../audit/trail/audit-log.ts';
import { lockSharedRoles } from '../access/roles/definitions.ts';
import { endMailTokensOfTenant } from '../mail/mail-tokens.ts';
import type { Revocations } from '../token/revocations.ts';
import { selectDomainsOf } from './login-domain-store.ts';
import { findTenant, insertTenant, selectTenants, TENANT_ORDER, updateTenantStatus } from './tenant-store.ts';
import { isTenantId, TENANT, TENANT_STATUS, type Tenant, type TenantStatus } from './tenant.ts';
import { refusal } from '../access/refusals.ts';

export interface TenantDependencies {
  readonly database: Database;
  readonly revocations: Pick<Revocations, 'setStopped'>;
  readonly challenges: {
    /** Ends the logins of a tenant that need a second factor. */
    deleteOfTenant(tx: Statements, tenantId: string): Promise<void>;
  };
  readonly audit: AuditLog;
  readonly clock: Clock;
}

/** TenancyService.CreateTenant. */
export function createTenantCreation({ audit, clock }: { readonly audit: AuditLog; readonly clock: Clock }) {
  return async (request: CreateTenantRequest, call: Call): Promise<CreateTenantResponse> => {
    const { tenantId: id, name } = request;
    const tenant: Tenant = { id, name, status: 'ACTIVE', createdAt: clock() };
    try {
      await audit.commit(call, async (tx, record) => {
        await lockSharedRoles(tx);
        await insertTenant(tx, tenant);
        record({ event: 'tenant.created', tenantId: id, actorId: call.principal!.account.id, details: { name } });
      });
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.kind !== 'duplicate') throw error;
      throw refusal('tenantIdTaken', undefined, { cause: error });
    }
    return { tenant: tenantMessage(tenant, []) };
  };
}

/** TenancyService.GetTenant. */
export function createGetTenant({ database }: { readonly database: Statements }) {
  return loadThenHandle(
    ({ tenantId }: GetTenantRequest) => existingTenant(database, tenantId),
    async (_request, _call, found): Promise<GetTenantResponse> => {
      const [tenant] = await describeTenants(database, [found]);
      return { tenant };
    },
  );
}

/** Returns the tenant with this id. Throws NOT_FOUND if it does not exist. */
export async function existingTenant(db: Statements, id: string): Promise<Tenant> {
  const tenant = isTenantId(id) ? await findTenant(db, id) : undefined;
  if (!tenant) throw new ServiceError('NOT_FOUND');
  return tenant;
}

/** TenancyService.ListTenants. */
export function createListTenants({ database }: { readonly database: Database }) {
  return async (request: ListTenantsRequest, call: Call): Promise<ListTenantsResponse> => {
    const page = listPageOf(request, call, TENANT_ORDER);
    const filter = { query: request.query, status: TENANT_STATUS.nameOf(request.status) };
    const found = await selectTenants(database, filter, page);
    return { tenants: await describeTenants(database, found.items), page: listPageInfo(page, found) };
  };
}

const EVENTS = { SUSPENDED: 'tenant.suspended', ACTIVE: 'tenant.activated' } as const;

/**
 * TenancyService.SuspendTenant and ActivateTenant. Every credential check reads the status, so all credentials of a
 * suspended tenant stop working with the commit. Logins that need a second factor end.
 */
export function createSetTenantStatus(options: TenantDependencies, status: TenantStatus) {
  const { database, revocations, challenges, audit, clock } = options;
  return loadThenHandle(
    ({ tenantId }: SuspendTenantRequest | ActivateTenantRequest) => existingTenant(database, tenantId),
    async (_request, call, { id }): Promise<SuspendTenantResponse> => {
      const changed = await audit.commit(call, async (tx, record) => {
        if (await updateTenantStatus(database, tx, { id, status }, clock(), call.deadline)) {
          await challenges.deleteOfTenant(tx, id);
          await revocations.setStopped(tx, 'tenant', id, status !== 'ACTIVE');
          if (status !== 'ACTIVE') {
            // Invitations are refused while the tenant is suspended, and stay.
            await endMailTokensOfTenant(tx, id);
          }
          record({ event: EVENTS[status], tenantId: id, actorId: call.principal!.account.id });
        }
        return existingTenant(tx, id);
      });
      const [tenant] = await describeTenants(database, [changed]);
      return { tenant };
    },
  );
}

/** Converts tenants with their login domains to proto messages, in the same order. */
export async function describeTenants(db: Statements, tenants: readonly Tenant[]): Promise<TenantMessage[]> {
  const owned = Map.groupBy(
    await selectDomainsOf(
      db,
      tenants.map(({ id }) => id),
    ),
    ({ tenantId }) => tenantId,
  );
  return tenants.map((tenant) =>
    tenantMessage(
      tenant,
      (owned.get(tenant.id) ?? []).map(({ domain }) => domain),
    ),
  );
}

/** Converts a tenant to its proto message. */
function tenantMessage(tenant: Tenant, loginDomains: readonly string[]): TenantMessage {
  return { ...TENANT.toMessage(tenant), loginDomains: [...loginDomains] } satisfies Complete<TenantMessage>;
}
