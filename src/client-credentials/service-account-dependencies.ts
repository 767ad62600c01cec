import type { Clock } from '../clock.ts';
import type { Database } from '../db/types.ts';
import type { AccountAdministration } from '../identity/users/account-administration.ts';

/** What the RPCs on service accounts and their secrets are made of. */
export interface ServiceAccountDependencies {
  readonly database: Database;
  readonly administration: AccountAdministration;
  readonly clock: Clock;
  /** Whether service accounts must belong to a tenant. */
  readonly tenantRequired: boolean;
}
