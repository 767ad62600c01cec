// Decodes text files. A byte that the encoding does not have is an error: if it were replaced, two names could become one.

/** A file has bytes that its encoding does not have. */
export class EncodingError extends Error {
  override readonly name = 'EncodingError';
}

export interface StrictDecoder {
  /** Returns the text of the next bytes, except for a character that they end in. Throws an EncodingError. */
  decode(bytes: Uint8Array): string;
  /** Throws an EncodingError if the bytes ended within a character. */
  end(): string;
}

const BYTE_ORDER_MARKS: readonly (readonly [string, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];
const MAX_MARK = 3;
/** The most bytes of a character that has not ended. */
const MAX_REST = 3;
const LINE_END = /\r\n|\r|\n/;

/** Returns the whole text without its byte order mark. Throws an EncodingError. */
export function decodeText(bytes: Uint8Array): string {
  const decoder = createStrictDecoder();
  return decoder.decode(bytes) + decoder.end();
}

/** Creates a decoder of one text. A byte order mark decides the encoding, and is not part of the text. */
export function createStrictDecoder(encoding = 'utf-8'): StrictDecoder {
  let name = encoding;
  let decoder: TextDecoder | undefined;
  let rest: Uint8Array = new Uint8Array();
  let [line, column, endsWithReturn] = [1, 1, false];

  function decodePart(bytes: Uint8Array, isLast: boolean): string {
    const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    if (decoder === undefined) {
      if (all.length < MAX_MARK && !isLast) return keep(all, '');
      name = BYTE_ORDER_MARKS.find(([, mark]) => mark.every((byte, index) => byte === all[index]))?.[0] ?? encoding;
      decoder = new TextDecoder(name, { fatal: true });
      // Only the first part can begin with a byte order mark.
      return decodeWith(decoder, all, isLast);
    }
    return decodeWith(new TextDecoder(name, { fatal: true, ignoreBOM: true }), all, isLast);
  }

  function decodeWith(decoding: TextDecoder, all: Uint8Array, isLast: boolean): string {
    for (let cut = 0; cut <= Math.min(isLast ? 0 : MAX_REST, all.length); cut += 1) {
      const end = all.length - cut;
      const text = decodeOrUndefined(decoding, all.subarray(0, end));
      if (text !== undefined) return keep(all.subarray(end), text);
    }
    moveOver(validStart(name, all));
    throw new EncodingError(`line ${line}, column ${column}: not ${name.toUpperCase()}`);
  }

  function keep(bytes: Uint8Array, text: string): string {
    rest = bytes;
    moveOver(text);
    return text;
  }

  function moveOver(text: string): void {
    const lines = (endsWithReturn && text.startsWith('\n') ? text.slice(1) : text).split(LINE_END);
    if (lines.length > 1) column = 1;
    line += lines.length - 1;
    column += Array.from(lines.at(-1)!).length;
    if (text !== '') endsWithReturn = text.endsWith('\r');
  }

  return { decode: (bytes) => decodePart(bytes, false), end: () => decodePart(new Uint8Array(), true) };
}

function decodeOrUndefined(decoder: TextDecoder, bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns the text before the first byte that is not valid. */
function validStart(encoding: string, bytes: Uint8Array): string {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let text = '';
  try {
    for (let index = 0; index < bytes.length; index += 1)
      text += decoder.decode(bytes.subarray(index, index + 1), { stream: true });
  } catch {
    // The character that begins after the text is not valid.
  }
  return text;
}
