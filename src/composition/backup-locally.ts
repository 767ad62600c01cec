// Backup and restore of the database of the settings.
import { rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Settings } from '../platform/config/settings.ts';
import { parseDatabaseUrl } from '../platform/db/database-url.ts';
import { newId } from '../platform/db/ids.ts';
import { migrate } from '../platform/db/migrate.ts';
import { checkSqlite, copyBackup, copySqlite, replaceSqlite } from '../platform/db/sqlite/backup.ts';
import type { Database } from '../platform/db/types.ts';
import { makeFolder } from '../platform/files/make-folder.ts';
import { AUDIT_CURSOR_KEY } from '../auth/audit/export/audit-cursor.ts';
import { endAllInvitations, endSessionsOfAllAccounts } from '../auth/identity/account-store.ts';
import { endAllMailTokens } from '../auth/mail/mail-token-store.ts';
import { deleteAllMails } from '../auth/mail/outbox-store.ts';
import { deleteSecretKey } from '../auth/keys/key-store.ts';
import { revokeAllOffline } from '../auth/oauth/grants/grant-store.ts';
import { createLocalAuditLog, createLocalContext, LOCAL_COMMAND } from './local-operator.ts';
import { type LocalOptions, useDatabase } from './usable-database.ts';

/** Writes a consistent copy of the SQLite file to a new file, and checks it. The service may run meanwhile. */
export async function backUp(target: string, options: LocalOptions): Promise<void> {
  const filename = sqliteFile(options.settings, 'make the backup with mysqldump --single-transaction --hex-blob');
  // Also checks that the file exists and has the schema of the service.
  await useDatabase(options, async () => undefined);
  copySqlite(filename, target);
  checkSqlite(target);
}

/**
 * Puts a backup in the place of the SQLite file, with the current schema and without sessions. The old file and those
 * beside it are moved aside, also if they are damaged. Returns the new path of the first, or undefined without old files.
 */
export async function restore(backup: string, { settings, log }: LocalOptions): Promise<string | undefined> {
  const filename = sqliteFile(settings, 'load the dump with the mysql client, then run authservice backup seal');
  checkSqlite(backup);
  makeFolder(dirname(filename));
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const draft = `${filename}.restoring-${time}`;
  copyBackup(backup, draft);
  try {
    // The sessions end before the file takes its place, so that no process ever accepts them.
    await seal({ settings: { ...settings, 'app.database.url': `sqlite:${draft}` }, log });
    return replaceSqlite(filename, draft, `${filename}.before-restore-${time}`);
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Ends all sessions and grants with their access tokens in a restored database, because some of them were revoked after the backup. Deletes the
 * mails that waited, and the tokens of mails with their invitations, for the same reason. Ends the cursors of audit streams, too.
 * Brings the schema up to date first. Returns the number of accounts.
 */
export function seal(options: LocalOptions): Promise<number> {
  return useDatabase({ ...options, schema: 'any' }, async (database) => {
    const ignoreLowestVersion = options.settings['app.database.ignore-lowest-version'];
    await migrate(database, options.log, { ignoreLowestVersion });
    return endAllSessions(database, options.log);
  });
}

async function endAllSessions(database: Database, log: Logger): Promise<number> {
  const ended = { through: newId(), at: Date.now() };
  const reason = 'restored';
  // Not a transaction of the service: it may take minutes with many accounts.
  const accounts = await database.migrateExclusively(log, async (statements) => {
    await deleteAllMails(statements);
    await endAllMailTokens(statements);
    await endAllInvitations(statements, ended.at);
    await deleteSecretKey(statements, AUDIT_CURSOR_KEY);
    await revokeAllOffline(statements, ended.at);
    return endSessionsOfAllAccounts(statements, ended, reason);
  });
  const details = { reason, accounts, actor: LOCAL_COMMAND };
  await createLocalAuditLog(database).record(createLocalContext(log), {
    event: 'session.revoked',
    tenantId: undefined,
    details,
  });
  return accounts;
}

function sqliteFile(settings: Settings, advice: string): string {
  const target = parseDatabaseUrl(settings['app.database.url']);
  if (target.engine === 'sqlite' && target.filename !== ':memory:') return resolve(target.filename);
  throw new Error(`${target.address}: ${advice}`);
}
