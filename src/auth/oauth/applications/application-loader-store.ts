// Reads applications by their client ids or ids, with the status of their tenants.
import { idToBytes } from '../../../platform/db/ids.ts';
import { batchLoader } from '../../../platform/db/query/batch-loader.ts';
import { acrossTenants } from '../../../platform/db/query/tenant-scope.ts';
import type { Database } from '../../../platform/db/types.ts';
import type { TenantStatus } from '../../tenancy/tenant.ts';
import { APPLICATION, type Application } from './application.ts';
import type { WithSettings } from './command-line.ts';

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
const SELECT = `SELECT ${COLUMNS}, t.status AS tenant_status FROM applications p LEFT JOIN tenants t ON t.id = p.tenant_id`;

export function createFindByClientId(database: Database, withSettings: WithSettings): FindByClientId {
  // The index has the client ids in lower case. Whether it is exactly the one asked for, its row tells.
  const byName = acrossTenants('a client id belongs to one application of all');
  return load(
    database,
    withSettings,
    `${byName} AND p.name_key`,
    ({ clientId }) => clientId,
    (clientId) => Buffer.from(clientId.toLowerCase()),
  );
}

/** Finds the application of a code or a grant, also one that is not served. Reads it at every call. */
export type FindOwningApplication = (granted: {
  readonly applicationId: string;
}) => Promise<FoundApplication | undefined>;

export function createFindOwningApplication(database: Database, withSettings: WithSettings): FindOwningApplication {
  const byKey = acrossTenants('a grant names its application');
  const byId = load(database, withSettings, `${byKey} AND p.id`, ({ id }) => id, idToBytes);
  return ({ applicationId }) => byId(applicationId);
}

/** Finds the application of a grant; undefined if it is not served. */
export type FindGrantedApplication = (grant: {
  readonly applicationId: string;
}) => Promise<ClientApplication | undefined>;

export function createFindGrantedApplication(find: FindOwningApplication): FindGrantedApplication {
  return async (granted) => servedApplication(await find(granted));
}

/** Returns an application if it is enabled, and its tenant is active. */
export function servedApplication(found: FoundApplication | undefined): ClientApplication | undefined {
  if (!found || found.application.disabled) return undefined;
  return found.application.tenantId === undefined || found.tenantStatus === 'ACTIVE' ? found.application : undefined;
}

/** @param condition Ends with the column whose values are sought. */
function load(
  database: Database,
  withSettings: WithSettings,
  condition: string,
  keyOf: (application: ClientApplication) => string,
  valueOf: (key: string) => Buffer,
) {
  return batchLoader<FoundApplication>(async (keys) => {
    const rows = await database.query(
      `${SELECT} WHERE ${condition} IN (${keys.map(() => '?').join(', ')})`,
      keys.map(valueOf),
    );
    return new Map(
      rows.flatMap((row): [string, FoundApplication][] => {
        const application = withSettings(APPLICATION.read(row));
        const tenantStatus = (row['tenant_status'] as TenantStatus | null) ?? undefined;
        return application ? [[keyOf(application), { application, tenantStatus }]] : [];
      }),
    );
  });
}
