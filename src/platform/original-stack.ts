// The stacks of a build, with the places in the sources. Node's --enable-source-maps reads all maps at the start, 45 MB, and every
// error pays for it. Here a map is read when the first error comes from its file.
import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload, type SourceOrigin } from 'node:module';
import { fileURLToPath } from 'node:url';

const IS_BUILD = import.meta.url.endsWith('.js');
const FOLDER = new URL('../../', import.meta.url).href;
/** A place in a file of this project. */
const PLACE = /(?<file>file:\/\/[^()\s]+\.js):(?<line>\d+):(?<column>\d+)/g;

/** By the address of the file. */
const maps = new Map<string, SourceMap | undefined>();

/** Returns the stack of an error with the places in the sources of this project, also in a build. */
export function originalStack(stack: string): string {
  return IS_BUILD ? stack.replaceAll(PLACE, originalPlace) : stack;
}

function originalPlace(place: string, file: string, line: string, column: string): string {
  if (!file.startsWith(FOLDER)) return place;
  // An empty object if the map has no source of the place.
  const origin: Partial<SourceOrigin> | undefined = mapOf(file)?.findOrigin(Number(line), Number(column));
  if (origin?.fileName === undefined) return place;
  return `${new URL(origin.fileName, file).href}:${origin.lineNumber}:${origin.columnNumber}`;
}

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, readMap(file));
  return maps.get(file);
}

function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${file}.map`), 'utf8')) as SourceMapPayload);
  } catch {
    // An installation can leave the maps out.
    return undefined;
  }
}
