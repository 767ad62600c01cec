// A core for commands on the machine of the service. It serves only its own process and runs no jobs.
import { cleanup, cleanupStats, type CleanupStats } from '../platform/jobs/cleanup.ts';
import { compose, createCoreHost } from './core.ts';
import { auditOfOperator, LOCAL_OPERATOR } from './local-operator.ts';
import { type LocalOptions, openUsableDatabase } from './usable-database.ts';
import type { Host } from '../platform/rpc/pipeline/host.ts';

export interface LocalCore {
  /** Runs every call as the operator of the machine. */
  readonly host: Host;
  /** Deletes expired rows now. Returns their number; undefined if another process does it. */
  cleanUp(signal: AbortSignal): Promise<number | undefined>;
  /** Returns the expired rows that are not deleted yet. */
  cleanupStats(): Promise<CleanupStats>;
  close(): Promise<void>;
}

/** Opens the database, which must have the current schema, and composes the services. */
export async function openLocalCore(options: LocalOptions): Promise<LocalCore> {
  const database = await openUsableDatabase({ ...options, poolSize: options.settings['app.database.pool-size'] });
  try {
    const parts = { database, clock: Date.now, tracer: undefined, wrapAudit: auditOfOperator };
    const core = await compose({ ...options, ...parts });
    const host = createCoreHost(core.foundation, {
      services: core.services,
      authenticate: async () => LOCAL_OPERATOR,
      reauthenticate: async () => LOCAL_OPERATOR,
      requireFresh: core.checks.requireFresh,
    });
    const cleanups = { database, targets: core.cleanupTargets, clock: Date.now };
    return {
      host,
      cleanUp: (signal) => cleanup({ ...cleanups, signal }),
      cleanupStats: () => cleanupStats(cleanups),
      async close() {
        await core.close();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}
