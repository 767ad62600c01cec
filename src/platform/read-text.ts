import { readFileSync } from 'node:fs';
import { decodeText, EncodingError } from './formats/strict-decoder.ts';

/**
 * Reads a text file in UTF-8, or in the encoding of its byte order mark. Unlike Node, it throws an
 * EncodingError instead of replacing bytes.
 */
export function readText(path: string): string {
  const bytes = readFileSync(path);
  try {
    return decodeText(bytes);
  } catch (cause) {
    if (!(cause instanceof EncodingError)) throw cause;
    throw new EncodingError(`${path}: ${cause.message}`, { cause });
  }
}
