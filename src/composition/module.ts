// A module: a room of the service that can be left out. Modules plug into the core through this interface, and into the gateway
// through gateway/module.ts.
import type { Settings } from '../platform/config/settings.ts';
import type { Database } from '../platform/db/types.ts';
import type { Grants } from '../auth/access/roles/built-in-roles.ts';
import type { Foundation, Part } from './foundation.ts';

export interface Module {
  /** For messages. */
  readonly name: string;
  /** The permissions that built-in roles get. A built-in permission that no role gets does not exist in the service. */
  readonly grants?: Grants;
  /** Creates its services, cleanup targets, jobs and metrics. */
  create(foundation: Foundation): Promise<Part>;
  /** Creates demo records in these new tenants. */
  createDemo?(tenantIds: readonly string[], foundation: Foundation): Promise<void>;
  /**
   * Deletes rows of a tenant that need more than a DELETE, before the rows of all tables with a column tenant_id are deleted.
   * Called also if the module is left out. Returns the number of rows.
   */
  eraseTenant?(database: Database, tenantId: string, now: number): Promise<number>;
}

/** A module of this project. */
export interface BuiltInModule extends Module {
  isEnabled(settings: Settings): boolean;
}
