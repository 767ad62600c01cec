import Table from 'cli-table3';
import { printable } from './terminal.ts';

/** The spaces between two columns. */
const GAP = 2;

/** The outcome of a command: data for machines, and how a person sees it. */
export interface Result {
  /** Printed by --json. */
  readonly value: unknown;
  /** A sentence instead of the value, for a person. */
  readonly text?: string;
  /** The fields to show of each item of a list, in this order. Default: a line for each field of the value. */
  readonly columns?: readonly string[];
  /** The items of the table, if a person sees others than the value. */
  readonly rows?: readonly Row[];
  /** Written to the standard error, for a person. */
  readonly note?: string;
  /** Whether the exit code is 1. */
  readonly failed?: boolean;
}

type Row = Readonly<Record<string, unknown>>;

/** The standard output of a command, and notes for a person. */
interface Rendered {
  readonly text: string;
  readonly notes: readonly string[];
}

/** Formats the outcome for an output of this width. Without a width, everything is shown in full. */
export function render({ value, text, columns, rows, note }: Result, json: boolean, width?: number): Rendered {
  if (json) return { text: `${JSON.stringify(value)}\n`, notes: [] };
  const notes = note === undefined ? [] : [note];
  if (text !== undefined) return { text: `${text}\n`, notes };
  if (columns === undefined) return record(value as Row, width, notes);
  const found = rows ?? (value as readonly Row[]);
  if (found.length === 0) return { text: 'none\n', notes };
  return table(found, columns, width, notes);
}

function table(
  rows: readonly Row[],
  columns: readonly string[],
  width: number | undefined,
  notes: readonly string[],
): Rendered {
  const cellsOf = (name: string) => [heading(name), ...rows.map((row) => cell(row[name]))];
  const full = columns.map((name) => ({ name, width: Math.max(...cellsOf(name).map((text) => [...text].length)) }));
  const shown = width === undefined ? full : fitColumns(full, width);
  const isCut = shown.some((column, index) => column.width < full[index]!.width);
  const hidden = full.slice(shown.length).map(({ name }) => heading(name));
  const limits = [...(isCut ? ['values are cut'] : []), ...(hidden.length > 0 ? [`hidden: ${hidden.join(', ')}`] : [])];
  const lines = [
    shown.map(({ name }) => heading(name)),
    ...rows.map((row) => shown.map(({ name }) => cell(row[name]))),
  ];
  return {
    text: linesOf(lines, isCut ? shown.map((column) => column.width) : undefined),
    notes: [
      ...notes,
      ...(limits.length > 0 ? [`the terminal is narrow (${limits.join('; ')}); --json shows all`] : []),
    ],
  };
}

/** A line for each field, never cut. A list of records follows as a table. */
function record(value: Row, width: number | undefined, notes: readonly string[]): Rendered {
  const fields = Object.entries(value).filter(([, member]) => !isRows(member));
  const tables = Object.entries(value).flatMap(([name, member]) => (isRows(member) ? [{ name, rows: member }] : []));
  const text = linesOf(fields.map(([name, member]) => [name, cell(member)]));
  return tables.reduce<Rendered>(
    (rendered, { name, rows }) => {
      const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
      const added = table(rows, columns, width, rendered.notes);
      return { text: `${rendered.text}\n${heading(name)}\n${added.text}`, notes: added.notes };
    },
    { text, notes },
  );
}

function isRows(value: unknown): value is readonly Row[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'object' && item !== null);
}

const BORDERS =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid';
const NO_BORDERS = BORDERS.split(' ').map((name) => [name, '']);

const PLAIN = {
  chars: { ...Object.fromEntries(NO_BORDERS), middle: ' '.repeat(GAP) },
  style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
};

/** Aligns the cells. Cells wider than their column are cut. */
function linesOf(rows: readonly (readonly string[])[], widths?: readonly number[]): string {
  const aligned = new Table({ ...PLAIN, ...(widths && { colWidths: [...widths] }) });
  aligned.push(...rows.map((row) => [...row]));
  return aligned.toString().replaceAll(/ +$/gm, '').concat('\n');
}

/** `createdAt` becomes `CREATED AT`. */
function heading(name: string): string {
  return name.replaceAll(/(?=[A-Z])/g, ' ').toUpperCase();
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return '-';
  if (value instanceof Date) return timeText(value);
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(cell).join(',');
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}

/** ISO 8601 in whole seconds. */
export function timeText(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, 'Z');
}

/** A column of a table with the width of its widest cell. */
interface Column {
  readonly name: string;
  readonly width: number;
}

const MIN_WIDTH = 12;
/** Columns that are never cut, because their values are arguments of other commands or times. */
const WHOLE = /^(?:id|kid|keyId|secretId|core|time|at|\w+(?:At|From|Until))$/;

/**
 * Fits columns into a width: the widest texts are cut first, then the last columns are hidden. Returns the remaining
 * columns with their widths.
 */
export function fitColumns(columns: readonly Column[], available: number): Column[] {
  const widths = columns.map(({ width }) => width);
  const total = () => widths.reduce((sum, width) => sum + width + GAP, -GAP);
  while (total() > available) {
    const cuttable = columns.map(({ name }, index) => (WHOLE.test(name) ? 0 : widths[index]!));
    const widest = Math.max(...cuttable);
    // Without this column, the others may need no cut.
    if (widest <= MIN_WIDTH) return columns.length === 1 ? [...columns] : fitColumns(columns.slice(0, -1), available);
    widths[cuttable.indexOf(widest)] = widest - 1;
  }
  return columns.map(({ name }, index) => ({ name, width: widths[index]! }));
}
