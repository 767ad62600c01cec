import type { Database } from '../../src/platform/db/types.ts';
import type { SeededApplication } from '../openid/service-provider.ts';
import type { Program } from '../program.ts';

/** A service, and its database with grants. */
export interface Stage {
  readonly grants: number;
  readonly accounts: number;
  readonly service: Program;
  readonly database: Database;
  readonly seeded: SeededApplication;
  /** The CPU time of its MariaDB, in seconds. */
  readonly databaseCpu: () => number;
}
