import { createImportBatch, type ImportBatch } from './bootstrap/import-accounts.ts';
import { maxHashMemoryBytes } from './authentication.ts';
import { createLocalAuditLog, LOCAL_COMMAND } from './local-operator.ts';
import { type LocalOptions, useDatabase } from './usable-database.ts';

export type { BatchResult, ImportRow, RowProblem } from './bootstrap/import-accounts.ts';

/** Runs an import of accounts into the database of the settings, beside a running service or without one. */
export function importLocally<T>(options: LocalOptions, work: (importBatch: ImportBatch) => Promise<T>): Promise<T> {
  return useDatabase(options, (database) => {
    const audit = createLocalAuditLog(database);
    const context = { clientAddress: LOCAL_COMMAND, log: options.log };
    const memory = { maxHashMemoryBytes: maxHashMemoryBytes(options.settings) };
    return work(createImportBatch({ database, audit, clock: Date.now, context, actor: LOCAL_COMMAND, ...memory }));
  });
}
