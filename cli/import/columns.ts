// The columns of an import file: the names of its header, or of the first JSON object.
import { CommandFailure } from '../failure.ts';

/** What is the same for all rows of a file. */
export interface Table {
  /** The names of all columns. */
  readonly columns: readonly string[];
  /** The values of rows without them. */
  readonly defaults: object;
}

/** The options that replace a column. */
const REPLACEMENTS: Readonly<Record<string, string>> = { tenantId: '--tenant', roles: '--role' };

const simplify = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]/g, '');

/** Returns the column of a name, also in capitals or as `tenant_id`; undefined if there is none. */
export function columnOf(name: string, columns: readonly string[]): string | undefined {
  return columns.find((column) => simplify(column) === simplify(name));
}

/**
 * Returns the columns of a header. A name that is empty has none. Throws if all rows would be rejected for the header.
 */
export function readHeader(names: readonly string[], { columns, defaults }: Table, line: number): string[] {
  const found = names.map((name) => (name.trim() === '' ? '' : (columnOf(name, columns) ?? name)));
  if (!found.some((name) => columns.includes(name)))
    throw refusal(line, `not a header; name the columns: ${columns.join(', ')}`);
  checkColumns(found, columns, line);
  const twice = found.find((name, index) => name !== '' && found.indexOf(name) !== index);
  if (twice !== undefined) throw refusal(line, `the column ${twice} is given twice`);
  for (const name of ['username', ...Object.keys(REPLACEMENTS)])
    if (!found.includes(name) && !(name in defaults)) throw refusal(line, missing(name));
  return found;
}

/** Throws if a name is not a column. An empty one is ignored. */
export function checkColumns(names: readonly string[], columns: readonly string[], line: number): void {
  const unknown = names.filter((name) => name !== '' && !columns.includes(name));
  if (unknown.length === 0) return;
  const label = unknown.length === 1 ? 'unknown column' : 'unknown columns';
  throw refusal(line, `${label}: ${unknown.join(', ')}; the columns are ${columns.join(', ')}`);
}

/** The failure of a file that no row can be read of. */
export function refusal(line: number, problem: string): CommandFailure {
  return new CommandFailure(`line ${line}: ${problem}`);
}

function missing(name: string): string {
  const option = REPLACEMENTS[name];
  return `the column ${name} is missing${option === undefined ? '' : `; add it, or give ${option}`}`;
}
