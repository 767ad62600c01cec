import Table from 'cli-table3';
import { printable } from './escape.ts';

/** The outcome of a command: data for machines, and how a person sees it. */
export interface Result {
  /** Printed by --json. */
  readonly value: unknown;
  /** A sentence instead of the value, for a person. */
  readonly text?: string;
  /** The fields to show of each item of a list, in this order. Default: a line for each field of the value. */
  readonly columns?: readonly string[];
  /** Written to the standard error, for a person. */
  readonly note?: string;
}

/** Formats the outcome for the standard output. */
export function render({ value, text, columns }: Result, json: boolean): string {
  if (json) return `${JSON.stringify(value)}\n`;
  if (text !== undefined) return `${text}\n`;
  const record = value as Readonly<Record<string, unknown>>;
  if (columns === undefined) return lines(Object.entries(record).map(([name, member]) => [name, cell(member)]));
  const rows = value as readonly Readonly<Record<string, unknown>>[];
  if (rows.length === 0) return 'none\n';
  return lines([columns.map((name) => heading(name)), ...rows.map((row) => columns.map((name) => cell(row[name])))]);
}

const PLAIN = {
  chars: {
    top: '',
    'top-mid': '',
    'top-left': '',
    'top-right': '',
    bottom: '',
    'bottom-mid': '',
    'bottom-left': '',
    'bottom-right': '',
    left: '',
    'left-mid': '',
    mid: '',
    'mid-mid': '',
    right: '',
    'right-mid': '',
    middle: '  ',
  },
  style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
};

function lines(rows: readonly (readonly string[])[]): string {
  const table = new Table(PLAIN);
  table.push(...rows.map((row) => [...row]));
  return table.toString().replaceAll(/ +$/gm, '').concat('\n');
}

/** `createdAt` becomes `CREATED AT`. */
function heading(name: string): string {
  return name.replaceAll(/(?=[A-Z])/g, ' ').toUpperCase();
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return '-';
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(cell).join(',');
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}
