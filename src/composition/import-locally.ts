import { createImportBatch, type ImportBatch } from './bootstrap/import-accounts.ts';
import { maxHashMemoryBytes } from './authentication.ts';
import { createFoundation } from './foundation.ts';
import { createLocalAuditLog, LOCAL_COMMAND } from './local-operator.ts';
import { invitationsOf } from './mail-locally.ts';
import { type LocalOptions, useDatabase } from './usable-database.ts';

export { IMPORT_COLUMNS } from './bootstrap/import-accounts.ts';
export type { BatchResult, ImportRow, RowProblem } from './bootstrap/import-accounts.ts';

/** Runs an import of accounts into the database of the settings, beside a running service or without one. */
export function importLocally<T>(options: LocalOptions, work: (importBatch: ImportBatch) => Promise<T>): Promise<T> {
  const { settings, log } = options;
  return useDatabase(options, async (database) => {
    const clock = Date.now;
    const foundation = createFoundation({ settings, database, clock, log, tracer: undefined, grants: [] });
    try {
      return await work(
        createImportBatch({
          database,
          audit: createLocalAuditLog(database),
          clock,
          context: { clientAddress: LOCAL_COMMAND, log },
          actor: LOCAL_COMMAND,
          maxHashMemoryBytes: maxHashMemoryBytes(settings),
          invitations: invitationsOf(foundation),
        }),
      );
    } finally {
      await foundation.close?.();
    }
  });
}
