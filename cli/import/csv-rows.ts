// Rows of CSV. Each line is a record: no column has values with line ends. So a stray quote spoils one line only.
import { parse } from 'csv-parse/sync';
import type { ImportRow } from '../../src/composition/import-locally.ts';
import type { Line } from '../text-lines.ts';
import { columnOf, readHeader, refusal, type Table } from './columns.ts';

const SEPARATORS = [',', ';', '\t'];
/** Lines that are parsed together, which is faster. */
const BLOCK_LINES = 250;

/** Reads rows. The first line has the names of the columns. Blanks around a cell are ignored, and empty cells are left out. */
export async function* csvRows(lines: AsyncIterable<Line>, table: Table): AsyncGenerator<ImportRow> {
  let format: { readonly separator: string; readonly header: readonly string[] } | undefined;
  let block: Line[] = [];
  for await (const line of lines) {
    if (format === undefined) {
      const separator = separatorOf(line.text, table.columns);
      const names = parseLine(line.text, separator);
      if (typeof names === 'string') throw refusal(line.line, names);
      format = { separator, header: readHeader(names, table, line.line) };
      continue;
    }
    block.push(line);
    if (block.length < BLOCK_LINES) continue;
    yield* rowsOf(block, format.separator, format.header, table.defaults);
    block = [];
  }
  if (format !== undefined) yield* rowsOf(block, format.separator, format.header, table.defaults);
}

/** Returns the separator that finds the most columns in a header. */
function separatorOf(header: string, columns: readonly string[]): string {
  const counts = SEPARATORS.map((separator) => {
    const names = parseLine(header, separator);
    return typeof names === 'string' ? 0 : names.filter((name) => columnOf(name, columns) !== undefined).length;
  });
  return SEPARATORS[counts.indexOf(Math.max(...counts))]!;
}

function* rowsOf(
  block: readonly Line[],
  separator: string,
  header: readonly string[],
  defaults: object,
): Generator<ImportRow> {
  for (const [index, cells] of parseBlock(block, separator).entries()) {
    const { line } = block[index]!;
    const problem = typeof cells === 'string' ? cells : problemOf(cells, header);
    if (typeof cells === 'string' || problem !== undefined) yield { line, value: undefined, problem };
    else if (cells.some((cell) => cell !== '')) yield { line, value: { ...defaults, ...valueOf(cells, header) } };
  }
}

/** Returns the cells of each line, or its problem. */
function parseBlock(block: readonly Line[], separator: string): (readonly string[] | string)[] {
  const texts = block.map(({ text }) => text);
  const records = parseRecords(texts.join('\n'), separator);
  // A record of several lines begins with a quote that is not closed.
  if (typeof records !== 'string' && records.length === texts.length) return records;
  return texts.map((text) => parseLine(text, separator));
}

function parseLine(text: string, separator: string): readonly string[] | string {
  const records = parseRecords(text, separator);
  return typeof records === 'string' ? records : records[0]!;
}

/** Returns the problem of the text if it is not CSV. The message of the parser is not used, because it has values. */
function parseRecords(text: string, separator: string): string[][] | string {
  try {
    return parse(text, { delimiter: separator, record_delimiter: '\n', relax_column_count: true, trim: true });
  } catch (error) {
    return (error as { readonly code?: string }).code === 'CSV_QUOTE_NOT_CLOSED'
      ? 'a quote is not closed in this line'
      : 'a quote within a cell: enclose the cell in quotes, and double each quote in it';
  }
}

/** Spreadsheets write empty cells without a column. */
function problemOf(cells: readonly string[], header: readonly string[]): string | undefined {
  if (cells.every((cell) => cell === '')) return undefined;
  const unnamed = cells.findIndex((cell, index) => cell !== '' && !header[index]);
  if (cells.length < header.length || unnamed >= header.length)
    return `${cells.length} cells, but the header has ${header.length}`;
  return unnamed === -1 ? undefined : `cell ${unnamed + 1} is in a column without a name`;
}

/** How the cell of a column becomes a value. Other columns are texts. */
const CELLS: Readonly<Record<string, (cell: string) => unknown>> = {
  roles: (cell) => cell.split(/[,; ]+/),
  disabled: toFlag,
  invite: toFlag,
};

const FLAGS: Readonly<Record<string, boolean>> = { true: true, 1: true, yes: true, false: false, 0: false, no: false };

function toFlag(cell: string): boolean | string {
  return FLAGS[cell.toLowerCase()] ?? cell;
}

function valueOf(cells: readonly string[], header: readonly string[]): Record<string, unknown> {
  const named = cells.flatMap((cell, index) => (cell === '' ? [] : [[header[index]!, cell] as const]));
  return Object.fromEntries(named.map(([name, cell]) => [name, CELLS[name]?.(cell) ?? cell]));
}
