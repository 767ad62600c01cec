// Audit records as CSV (RFC 4180). No cell begins a formula: spreadsheets would run what a stranger has entered as a username.
import type { auditRecordJson } from '../trail/audit-message.ts';

const COLUMNS = [
  'id',
  'at',
  'event',
  'tenantId',
  'accountId',
  'username',
  'actorId',
  'actor',
  'clientAddress',
  'requestId',
  'sessionId',
  'details',
] as const;

/** A record as auditRecordJson returns it. */
type RecordJson = ReturnType<typeof auditRecordJson>;

/** The characters at the beginning of a cell from which spreadsheets make a formula, those of full width in some languages. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

export const CSV_HEADER = `${COLUMNS.join(',')}\r\n`;

/** Returns the line of a record. */
export function csvLine({ causedBy, details, ...record }: RecordJson): string {
  const values: Readonly<Record<string, string | undefined>> = {
    ...record,
    actor: causedBy?.username,
    details: JSON.stringify(details),
  };
  return `${COLUMNS.map((column) => cellOf(values[column])).join(',')}\r\n`;
}

function cellOf(text: string | undefined): string {
  if (text === undefined) return '';
  return `"${FORMULA.test(text) ? "'" : ''}${text.replaceAll('"', '""')}"`;
}
