// Reads applications by their client ids, with the status of their tenants.
import { batchLoader } from '../../../platform/db/query/batch-loader.ts';
import { acrossTenants } from '../../../platform/db/query/tenant-scope.ts';
import type { Database } from '../../../platform/db/types.ts';
import type { TenantStatus } from '../../tenancy/tenant.ts';
import { APPLICATION, type Application } from './application.ts';

/** An application as its own requests need it. */
export type ClientApplication = Omit<Application, 'logo'>;

export interface FoundApplication {
  readonly application: ClientApplication;
  /** Undefined if the application has no tenant. */
  readonly tenantStatus: TenantStatus | undefined;
}

/** Reads an application at every call. Concurrent calls share one query. */
export type FindByClientId = (clientId: string) => Promise<FoundApplication | undefined>;

// A logo is much longer than all else, and only pages show it.
const COLUMNS = APPLICATION.select('p', (sql, member) => (member === 'logo' ? 'NULL' : sql));
const OF_ALL_TENANTS = acrossTenants('a client id belongs to one application of all');

export function createFindByClientId(database: Database): FindByClientId {
  return batchLoader(async (clientIds) => {
    const rows = await database.query(
      `SELECT ${COLUMNS}, t.status AS tenant_status FROM applications p
         LEFT JOIN tenants t ON t.id = p.tenant_id
        WHERE ${OF_ALL_TENANTS} AND p.client_id IN (${clientIds.map(() => '?').join(', ')})`,
      clientIds.map((clientId) => Buffer.from(clientId)),
    );
    return new Map(
      rows.map((row) => {
        const application = APPLICATION.read(row);
        const tenantStatus = (row['tenant_status'] as TenantStatus | null) ?? undefined;
        return [application.clientId, { application, tenantStatus }];
      }),
    );
  });
}
