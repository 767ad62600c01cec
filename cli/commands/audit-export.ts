// `audit export` writes audit records to a file, newest first. After an interruption, the same command continues.
import { closeSync, existsSync, ftruncateSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { readText } from '../../src/platform/read-text.ts';
import { AuditServiceService, type AuditRecord } from '../../proto/gen/authservice/audit/v1/audit_service.ts';
import type { Command, Input } from '../command.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { AUDIT_FILTERS, auditFilterOf } from './audit.ts';
import { auditRecord } from './records.ts';

export const AUDIT_EXPORT_COMMAND: Command = {
  name: 'audit export',
  summary: 'write audit records to a file, newest first',
  arguments: { '<file>': 'a file that does not exist yet, unless an export into it was interrupted' },
  options: {
    ...AUDIT_FILTERS,
    '--format <format>': 'jsonl or csv (default: jsonl)',
    '--from <time>': 'only records from this time on: ISO 8601',
    '--to <time>': 'only records before this time (default: now)',
  },
  notes:
    'After an interruption, run the same command again: it continues. Until it is complete, its place is in FILE.resume.\n' +
    'A spreadsheet must import the columns of a CSV file as text: usernames are as people entered them.',
  run: exportRecords,
};

const FORMATS = ['JSONL', 'CSV'] as const;
type Format = (typeof FORMATS)[number];
const COLUMNS = [
  'id',
  'at',
  'event',
  'tenantId',
  'accountId',
  'username',
  'actorId',
  'clientAddress',
  'requestId',
  'details',
] as const;
const PER_PAGE = 100;

/** The state of an interrupted export. */
interface Resume {
  readonly request: string;
  readonly to: string;
  readonly after: string | undefined;
  /** The size of the file up to the last complete page. */
  readonly bytes: number;
  readonly records: number;
}

async function exportRecords({ values, core, terminal, json }: Input): Promise<number> {
  const file = values.requiredPath('file');
  const format = values.choice('format', FORMATS) ?? 'JSONL';
  const opened = await core();
  const filter = await auditFilterOf(values, opened);
  const given = { format, filter, from: values.text('from'), to: values.text('to') };
  const resumeFile = `${file}.resume`;
  const found = readResume(resumeFile, JSON.stringify(given));
  const output = openSync(file, found ? 'r+' : 'wx', 0o600);
  try {
    let state = found ?? start(output, format, values.time('to') ?? new Date(), JSON.stringify(given));
    ftruncateSync(output, state.bytes);
    store(resumeFile, state);
    const { listAuditRecords } = opened.client(AuditServiceService);
    for (;;) {
      const page = { page: 1, perPage: PER_PAGE, after: state.after };
      const range = { from: values.time('from'), until: new Date(state.to) };
      const response = await listAuditRecords({ ...filter, ...range, page });
      const text = response.records.map((one) => lineOf(one, format)).join('');
      const bytes = state.bytes + writeAt(output, text, state.bytes);
      state = { ...state, bytes, records: state.records + response.records.length, after: response.page!.next };
      if (state.after === undefined) break;
      store(resumeFile, state);
      if (terminal.signal.aborted) throw new CommandFailure('interrupted; run it again to continue', EXIT.interrupted);
    }
    rmSync(resumeFile, { force: true });
    terminal.out(
      json ? `${JSON.stringify({ file, records: state.records })}\n` : `${state.records} records written to ${file}\n`,
    );
    return EXIT.done;
  } finally {
    closeSync(output);
  }
}

function readResume(file: string, request: string): Resume | undefined {
  if (!existsSync(file)) return undefined;
  const found = JSON.parse(readText(file)) as Resume;
  if (found.request !== request)
    throw new CommandFailure(
      `${file} is of an export with other options; give the same ones, or delete it and the export`,
    );
  return found;
}

function start(output: number, format: Format, to: Date, request: string): Resume {
  const bytes = format === 'CSV' ? writeAt(output, `${COLUMNS.join(',')}\r\n`, 0) : 0;
  return { request, to: to.toISOString(), after: undefined, bytes, records: 0 };
}

/** Returns the number of written bytes. */
function writeAt(output: number, text: string, position: number): number {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length;)
    written += writeSync(output, bytes, written, bytes.length - written, position + written);
  return bytes.length;
}

function store(file: string, state: Resume): void {
  writeFileSync(`${file}.new`, JSON.stringify(state), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function lineOf(record: AuditRecord, format: Format): string {
  const value = auditRecord(record);
  if (format === 'JSONL') return `${JSON.stringify(value)}\n`;
  return `${COLUMNS.map((column) => cellOf(value[column])).join(',')}\r\n`;
}

/** RFC 4180. */
function cellOf(value: unknown): string {
  if (value === undefined) return '';
  const text = value instanceof Date ? value.toISOString() : typeof value === 'string' ? value : JSON.stringify(value);
  return `"${text.replaceAll('"', '""')}"`;
}
