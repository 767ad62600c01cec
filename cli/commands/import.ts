import { statSync, writeFileSync, appendFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { BatchResult, ImportRow } from '../../src/composition/import-locally.ts';
import type { Command, Input } from '../command.ts';
import { EXIT, CommandFailure } from '../failure.ts';
import { checkEncoding, ENCODINGS, FORMATS, openRows, type Format } from '../import/read-rows.ts';
import { roleOf, TENANT_ROLES } from './roles.ts';
import { loadLocalSettings } from '../local-settings.ts';
import { printable } from '../terminal/terminal.ts';

export const IMPORT_COMMANDS: readonly Command[] = [
  {
    name: 'user import',
    summary: 'import users with their password hashes from CSV or JSON lines',
    uses: 'settings',
    arguments: { '<file>': 'the file' },
    options: {
      '--format <format>': 'csv or jsonl (default: by the name of the file)',
      '--encoding <name>': `${ENCODINGS.join(', ')} (default: by the byte order mark, else UTF-8)`,
      '--tenant <id>': 'the tenant of rows without tenantId',
      '--role <role>': `the role of rows without roles: ${TENANT_ROLES.join(', ')}`,
      '--dry-run': 'check all rows and change nothing',
      '--rejects <file>': 'write the rejected lines and their problems to this new file, as JSON lines',
    },
    notes:
      'Columns: username, tenantId, roles (in CSV separated by commas or spaces), name, email, passwordHash, disabled, ' +
      'invite, accountExpiresAt, credentialsExpireAt. A user with invite true, an email and no passwordHash gets a mail with a ' +
      'link to choose a password. A passwordHash is bcrypt ($2a$, $2b$, $2y$) or Argon2. The first login of a ' +
      'user replaces it by Argon2id. Hashes that take too long for a login, or need more memory than ' +
      'app.security.password.max-hash-memory-bytes, are rejected. Slow ones are named. Existing usernames are not ' +
      'changed, so the command can run again.\n' +
      'Exit code 1 if rows were rejected; the other rows are imported.',
    run: importUsers,
  },
];

/** Rows of one transaction. On SQLite, other writers wait for it. */
const BATCH_ROWS = 250;
const SHOWN_LINES = 20;
const OTHERS_CAN_READ = 0o044;

interface Totals {
  rows: number;
  created: number;
  existing: number;
  rejected: number;
  /** Created accounts whose password hash is slow to verify. */
  slow: number;
}

async function importUsers(input: Input): Promise<number> {
  const { values, terminal, json } = input;
  const file = values.requiredPath('file');
  const stats = statSync(file);
  if (stats.isDirectory()) throw new CommandFailure(`${file} is a folder; name a file`);
  const { size, mode } = stats;
  if ((mode & OTHERS_CAN_READ) !== 0) terminal.error(`warning: other users can read ${file}\n`);
  const format = formatOf(values.choice('format', FORMATS), file);
  const encoding = values.choice('encoding', ENCODINGS);
  const { importLocally, IMPORT_COLUMNS: columns } = await import('../../src/composition/import-locally.ts');
  const rowFile = { file, format, encoding, columns, defaults: defaultsOf(input) };
  // A pipe can be read only once.
  if (stats.isFile()) await checkEncoding(rowFile);
  const source = openRows(rowFile);
  const totals: Totals = { rows: 0, created: 0, existing: 0, rejected: 0, slow: 0 };
  const bar = terminal.startProgress(size, progressOf(0, 0));
  const started = performance.now();
  try {
    await importLocally(loadLocalSettings(input), async (importBatch) => {
      // Created after the settings and the database have been checked, so that a second try finds no file of the first.
      const report = createReport(input);
      for await (const rows of batchesOf(source.rows)) {
        if (terminal.signal.aborted) break;
        const result = await importBatch(rows, { dryRun: values.flag('dryRun') });
        add(totals, rows, result);
        report(result);
        bar.update(source.bytesRead(), progressOf(totals.rows, performance.now() - started));
      }
    });
  } finally {
    bar.stop();
  }
  const seconds = (performance.now() - started) / 1_000;
  terminal.out(
    json ? `${JSON.stringify(totals)}\n` : `${summaryOf(totals, values.flag('dryRun'))} in ${seconds.toFixed(1)} s\n`,
  );
  if (terminal.signal.aborted) throw new CommandFailure('interrupted', EXIT.interrupted);
  return totals.rejected === 0 ? EXIT.done : EXIT.failed;
}

function formatOf(given: Format | undefined, file: string): Format {
  const byName = ({ '.csv': 'CSV', '.tsv': 'CSV', '.jsonl': 'JSONL', '.ndjson': 'JSONL' } as const)[
    extname(file).toLowerCase()
  ];
  const format = given ?? byName;
  if (format === undefined) throw new CommandFailure('give --format csv or --format jsonl', EXIT.usage);
  return format;
}

function defaultsOf({ values }: Input) {
  const [tenantId, role] = [values.text('tenant'), values.text('role')];
  return {
    ...(tenantId !== undefined && { tenantId }),
    ...(role !== undefined && { roles: [roleOf(role, TENANT_ROLES)] }),
  };
}

async function* batchesOf(rows: AsyncIterable<ImportRow>): AsyncGenerator<ImportRow[]> {
  let batch: ImportRow[] = [];
  for await (const row of rows) {
    batch.push(row);
    if (batch.length < BATCH_ROWS) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

function add(totals: Totals, rows: readonly ImportRow[], { created, existing, rejected, slow }: BatchResult): void {
  totals.rows += rows.length;
  totals.created += created;
  totals.existing += existing;
  totals.rejected += rejected.length;
  totals.slow += slow.length;
}

function progressOf(rows: number, ms: number): string {
  const rate = ms === 0 ? 0 : Math.round((1_000 * rows) / ms);
  return `${rows.toLocaleString('en')} rows | ${rate.toLocaleString('en')} rows/s`;
}

/** Shows the first rejected lines and slow hashes, and writes all rejected lines to the file of --rejects. */
function createReport({ values, terminal }: Input): (result: BatchResult) => void {
  const file = values.path('rejects');
  if (file !== undefined) writeFileSync(file, '', { mode: 0o600, flag: 'wx' });
  const show = firstOf('further rejected lines are not shown; --rejects writes all');
  const showSlow = firstOf('further slow hashes are not shown');
  return ({ rejected, slow }) => {
    for (const { line, message } of rejected) show(`line ${line}: ${printable(message)}`);
    for (const { line, message } of slow) showSlow(`warning: line ${line}: ${message}`);
    if (file !== undefined && rejected.length > 0)
      appendFileSync(file, rejected.map((rejection) => `${JSON.stringify(rejection)}\n`).join(''));
  };

  /** Returns a function that shows the first lines, then once that there are more. */
  function firstOf(more: string): (text: string) => void {
    let shown = 0;
    return (text) => {
      if (shown <= SHOWN_LINES) terminal.error(`${shown < SHOWN_LINES ? text : more}\n`);
      shown += 1;
    };
  }
}

function summaryOf({ rows, created, existing, rejected, slow }: Totals, dryRun: boolean): string {
  const verb = dryRun ? 'would be created' : 'created';
  return `${rows} rows: ${created} ${verb}, ${existing} existed, ${rejected} rejected${slow === 0 ? '' : `, ${slow} with a slow hash`}`;
}
