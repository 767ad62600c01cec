// Texts from files and from the standard input, line by line.
import { createStrictDecoder } from '../src/platform/formats/strict-decoder.ts';

/** A line of a file, and its number from 1. */
export interface Line {
  readonly line: number;
  readonly text: string;
}

/** Decodes bytes. Rejects with an EncodingError. A byte order mark decides the encoding. */
export async function* textOf(chunks: AsyncIterable<Uint8Array>, encoding?: string): AsyncGenerator<string> {
  const decoder = createStrictDecoder(encoding);
  for await (const chunk of chunks) yield decoder.decode(chunk);
  yield decoder.end();
}

/** Lines without their ends. The last one may have none. */
export async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const text of texts) {
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest !== '') yield rest.replace(/\r$/, '');
}
