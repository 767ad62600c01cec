import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import type { AccountAdministration } from '../identity/users/account-administration.ts';

/** The dependencies of the RPCs on service accounts and their secrets. */
export interface ServiceAccountDependencies {
  readonly database: Database;
  readonly administration: AccountAdministration;
  readonly clock: Clock;
  /** Whether service accounts must belong to a tenant. */
  readonly tenantRequired: boolean;
}
