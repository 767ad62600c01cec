// The business services, put together.
import type { Clock } from './clock.ts';
import type { Database } from './db/types.ts';
import type { CleanUpTarget } from './jobs/clean-up.ts';
import type { Service } from './rpc/service.ts';

export interface Business {
  readonly services: readonly Service[];
  readonly cleanUpTargets: readonly CleanUpTarget[];
}

/** Everything that works on a tenant's own records. */
export function openBusiness(_options: { readonly database: Database; readonly clock: Clock }): Business {
  return {
    services: [],
    cleanUpTargets: [],
  };
}
