import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db/types.ts';

/** The dependencies of the services of the shop. */
export interface Dependencies {
  readonly database: Database;
  readonly clock: Clock;
}

export type Reads = Pick<Dependencies, 'database'>;
