// The composition root: each file here builds one part of the core from the settings and the parts below it.
// Only src/*.ts, cli/ and gateway/main.ts may import this folder; it may import every other folder of src/.
import type { Logger } from 'pino';
import type { AuditLog } from '../auth/audit/audit-log.ts';
import type { Clock } from '../platform/clock.ts';
import type { Settings } from '../platform/config/settings.ts';
import type { Database } from '../platform/db/types.ts';
import type { Metric } from '../platform/metric.ts';
import type { AccountStore } from '../auth/identity/account-store.ts';
import type { CleanupTarget } from '../platform/jobs/cleanup.ts';
import type { Service } from '../platform/rpc/service.ts';
import type { Tracer } from '../platform/tracing/tracer.ts';

/** The dependencies of every part. */
export interface Foundation {
  readonly settings: Settings;
  readonly database: Database;
  readonly accounts: AccountStore;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly log: Logger;
  /** Undefined if tracing is off. */
  readonly tracer: Tracer | undefined;
  /** Whether refusals must not reveal which accounts and credentials exist: minimal disclosure. */
  readonly uniformRefusals: boolean;
  /** Whether the passwords and client secrets that this project publishes are refused: PROD. */
  readonly refuseSamples: boolean;
}

/** One part of the core, as the host, the cleanup job and the shutdown see it. */
export interface Part {
  readonly services?: readonly Service[];
  /** Rows that the cleanup job deletes. */
  readonly cleanupTargets?: readonly CleanupTarget[];
  readonly metrics?: readonly Metric[];
  /** Stores the audit records that wait in memory. */
  flush?(): Promise<void>;
  /** Stores values that are only in memory and closes all connections except those of the database. */
  close?(): Promise<void> | void;
}
