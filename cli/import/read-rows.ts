// Reads the rows of an import file: CSV with a header line, or JSON lines.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { parse } from 'csv-parse';
import type { ImportRow } from '../../src/composition/import-locally.ts';

export const FORMATS = ['CSV', 'JSONL'] as const;
export type Format = (typeof FORMATS)[number];

/** Rows with the number of bytes that have been read up to them. */
interface RowSource {
  readonly rows: AsyncIterable<ImportRow>;
  bytesRead(): number;
}

/** Opens a file. Rows are read only as fast as they are taken. Cells of a CSV file that are empty are left out. */
export function openRows(file: string, format: Format, defaults: object): RowSource {
  const stream = createReadStream(file);
  const rows = format === 'CSV' ? csvRows(stream, defaults) : jsonRows(stream, defaults);
  return { rows, bytesRead: () => stream.bytesRead };
}

type Stream = ReturnType<typeof createReadStream>;

async function* jsonRows(stream: Stream, defaults: object): AsyncGenerator<ImportRow> {
  let line = 0;
  for await (const text of linesOf(stream)) {
    line += 1;
    if (text.trim() !== '') yield { line, value: jsonValue(text, defaults) };
  }
}

/** Unlike for await over readline, also rejects if the file cannot be read. */
async function* linesOf(stream: Stream): AsyncGenerator<string> {
  const failed = new Promise<never>((_resolve, reject) => stream.once('error', reject));
  failed.catch(() => undefined);
  const lines = createInterface({ input: stream, crlfDelay: Infinity })[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([lines.next(), failed]);
    if (next.done === true) return;
    yield next.value;
  }
}

/** A line that is not JSON becomes a text, which is not a valid row. */
function jsonValue(text: string, defaults: object): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...defaults, ...value } : value;
  } catch {
    return text;
  }
}

async function* csvRows(stream: Stream, defaults: object): AsyncGenerator<ImportRow> {
  const parser = parse({ columns: true, bom: true, info: true, skip_empty_lines: true, trim: false });
  stream.on('error', (error) => parser.destroy(error));
  const rows = stream.pipe(parser) as AsyncIterable<{ record: Record<string, string>; info: { lines: number } }>;
  for await (const { record, info } of rows) yield { line: info.lines, value: { ...defaults, ...csvValue(record) } };
}

/** How the cell of a column becomes a value. Other columns are texts. */
const CELLS: Readonly<Record<string, (cell: string) => unknown>> = {
  roles: (cell) => cell.split(/[,; ]+/),
  disabled: toFlag,
  invite: toFlag,
};

function toFlag(cell: string): boolean | string {
  return { true: true, false: false }[cell] ?? cell;
}

function csvValue(record: Readonly<Record<string, string>>): Record<string, unknown> {
  const cells = Object.entries(record).filter(([, cell]) => cell !== '');
  return Object.fromEntries(cells.map(([name, cell]) => [name, CELLS[name]?.(cell) ?? cell]));
}
