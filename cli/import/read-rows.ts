// Reads the rows of an import file: CSV with a header line, or JSON lines.
import { createReadStream } from 'node:fs';
import type { ImportRow } from '../../src/composition/import-locally.ts';
import { EncodingError } from '../../src/platform/formats/strict-decoder.ts';
import { CommandFailure } from '../failure.ts';
import { linesOf, textOf, type Line } from '../text-lines.ts';
import { checkColumns, refusal, type Table } from './columns.ts';
import { csvRows } from './csv-rows.ts';

export const FORMATS = ['CSV', 'JSONL'] as const;
export type Format = (typeof FORMATS)[number];

export const ENCODINGS = [
  'UTF-8',
  'UTF-16LE',
  'UTF-16BE',
  'WINDOWS-1250',
  'WINDOWS-1251',
  'WINDOWS-1252',
  'ISO-8859-2',
  'ISO-8859-15',
] as const;

export interface RowFile extends Table {
  readonly file: string;
  readonly format: Format;
  /** Default: by the byte order mark of the file, else UTF-8. */
  readonly encoding: (typeof ENCODINGS)[number] | undefined;
}

/** Rows with the number of bytes that have been read up to them. */
interface RowSource {
  readonly rows: AsyncIterable<ImportRow>;
  bytesRead(): number;
}

/** Throws if the file has bytes that are not in its encoding. */
export async function checkEncoding(rowFile: RowFile): Promise<void> {
  for await (const _ of textsOf(createReadStream(rowFile.file), rowFile));
}

/** Opens a file. Rows are read only as fast as they are taken. */
export function openRows(rowFile: RowFile): RowSource {
  const stream = createReadStream(rowFile.file);
  const lines = numberedLines(textsOf(stream, rowFile));
  const rows = rowFile.format === 'CSV' ? csvRows(lines, rowFile) : jsonRows(lines, rowFile);
  return { rows, bytesRead: () => stream.bytesRead };
}

async function* textsOf(chunks: AsyncIterable<Uint8Array>, { file, encoding }: RowFile): AsyncGenerator<string> {
  try {
    for await (const text of textOf(chunks, encoding?.toLowerCase())) {
      if (text.includes('\0'))
        throw new CommandFailure(
          `${file} has NUL characters, as UTF-16 without a byte order mark; give --encoding utf-16le`,
        );
      yield text;
    }
  } catch (error) {
    if (!(error instanceof EncodingError)) throw error;
    throw new CommandFailure(`${file}: ${error.message}; give its --encoding, such as windows-1252`);
  }
}

/** Returns the lines that are not blank. */
async function* numberedLines(texts: AsyncIterable<string>): AsyncGenerator<Line> {
  let line = 0;
  for await (const text of linesOf(texts)) {
    line += 1;
    if (text.trim() !== '') yield { line, text };
  }
}

async function* jsonRows(lines: AsyncIterable<Line>, { columns, defaults }: Table): AsyncGenerator<ImportRow> {
  let isFirst = true;
  for await (const { line, text } of lines) {
    const value = parseJson(text);
    if (isFirst && text.trimStart().startsWith('['))
      throw refusal(line, 'a JSON array; write one object in each line, as `jq -c .[]` does');
    if (isFirst) checkFirst(value, columns, line);
    isFirst = false;
    if (value === undefined) yield { line, value, problem: 'not JSON' };
    else yield { line, value: isObject(value) ? { ...defaults, ...value } : value };
  }
}

/** Throws if the first line shows that no line is a row. */
function checkFirst(value: unknown, columns: readonly string[], line: number): void {
  if (!isObject(value)) throw refusal(line, 'not a JSON object; give --format csv if the file is CSV');
  checkColumns(Object.keys(value), columns, line);
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
