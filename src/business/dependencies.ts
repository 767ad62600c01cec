import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/types.ts';

/** What the services of the shop work with. */
export interface Dependencies {
  readonly database: Database;
  readonly clock: Clock;
}

export type Reads = Pick<Dependencies, 'database'>;
