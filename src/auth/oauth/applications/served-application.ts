// Applications that are served: enabled, and their tenant is active.
import { batchLoader } from '../../../platform/db/query/batch-loader.ts';
import { acrossTenants } from '../../../platform/db/query/tenant-scope.ts';
import type { Database } from '../../../platform/db/types.ts';
import type { Grant } from '../grants/grant-store.ts';
import { APPLICATION, type Application } from './application.ts';
import { idToBytes } from '../../../platform/db/ids.ts';

/** Finds the application of a grant; undefined if it is not served. */
export type FindGrantedApplication = (
  grant: Pick<Grant, 'applicationTenant' | 'applicationId'>,
) => Promise<Application | undefined>;

const SELECT = `SELECT ${APPLICATION.select('p')} FROM applications p LEFT JOIN tenants t ON t.id = p.tenant_id
  WHERE p.disabled = 0 AND (p.tenant_id = '' OR t.status = 'ACTIVE')`;

/** Reads from the database at every call. Concurrent calls share one query. */
export function createServedApplications(database: Database) {
  const byClientId = batchLoader(async (clientIds) => {
    const rows = await database.query(
      `${SELECT} AND ${acrossTenants('a client id belongs to one application of all')}
        AND p.client_id IN (${clientIds.map(() => '?').join(', ')})`,
      clientIds.map((clientId) => Buffer.from(clientId)),
    );
    return new Map(rows.map((row) => APPLICATION.read(row)).map((application) => [application.clientId, application]));
  });
  const byId = batchLoader(async (ids) => {
    const rows = await database.query(
      `${SELECT} AND ${acrossTenants('a grant names its application')} AND p.id IN (${ids.map(() => '?').join(', ')})`,
      ids.map(idToBytes),
    );
    return new Map(rows.map((row) => APPLICATION.read(row)).map((application) => [application.id, application]));
  });
  return {
    findByClientId: byClientId,
    findOfGrant: (async ({ applicationId }) => byId(applicationId)) satisfies FindGrantedApplication,
  };
}
