// Makes the code of ts-proto use proto/wire.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path/posix';

const WIRE = 'proto/wire';
const IMPORT = 'import { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";';
/** ts-proto converts an int64 to a text and the text to a number. */
const LONG_TO_NUMBER = /^function longToNumber\(.*?^}\n\n/ms;

/**
 * Changes the generated files of a folder.
 *
 * @param directory The root of the checkout, or a copy.
 * @param out The folder, relative to it.
 */
export function useOwnWire(directory: string, out: string): void {
  for (const path of globSync(`${out}/**/*.ts`, { cwd: directory })) {
    const file = join(directory, path);
    const code = readFileSync(file, 'utf8');
    if (!code.includes('@bufbuild/protobuf/wire')) continue;
    // Readers of both kinds in one call would read a part of a message as a whole one.
    if (!code.includes(IMPORT)) throw new Error(`${path} imports @bufbuild/protobuf/wire in another way`);
    writeFileSync(file, withOwnWire(code, relative(dirname(path), WIRE)));
  }
}

function withOwnWire(code: string, wire: string): string {
  return (
    code
      .replace(
        IMPORT,
        `import { BinaryReader } from "${wire}/reader.ts";\nimport { BinaryWriter } from "${wire}/writer.ts";`,
      )
      .replace(LONG_TO_NUMBER, '')
      .replaceAll('longToNumber(reader.int64())', 'reader.safeInt64()')
      // The result of `finish` is a copy already.
      .replaceAll(/Buffer\.from\((\w+\.encode\(value\)\.finish\(\))\)/g, '$1')
  );
}
