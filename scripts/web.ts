// Writes web/dist of the sources in web/: `npm run web`, or with --check compares.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync, gzipSync } from 'node:zlib';
import { bundle, type Bundle } from '../web/build/bundle.ts';

const DIST = join(import.meta.dirname, '../web/dist');
const ASSETS = join(DIST, 'assets');

const CODINGS = {
  br: {
    compress: (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    decompress: brotliDecompressSync,
  },
  gz: { compress: (bytes: Buffer) => gzipSync(bytes, { level: 9 }), decompress: gunzipSync },
} as const;
const EXTENSIONS = Object.keys(CODINGS) as (keyof typeof CODINGS)[];

const manifestText = ({ manifest }: Bundle): string => `${JSON.stringify(manifest, undefined, 2)}\n`;

function write(built: Bundle): void {
  rmSync(DIST, { recursive: true, force: true });
  mkdirSync(ASSETS, { recursive: true });
  writeFileSync(join(DIST, 'manifest.json'), manifestText(built));
  for (const [name, bytes] of built.files) {
    writeFileSync(join(ASSETS, name), bytes);
    for (const extension of EXTENSIONS)
      writeFileSync(join(ASSETS, `${name}.${extension}`), CODINGS[extension].compress(bytes));
  }
}

/** Returns the names of the files that differ. Versions of zlib compress differently, so only the content is compared. */
function findDrift(built: Bundle): string[] {
  const expected = [...built.files].flatMap(([name, bytes]) => [
    { name, isEqual: (found: Buffer) => found.equals(bytes) },
    ...EXTENSIONS.map((extension) => ({
      name: `${name}.${extension}`,
      isEqual: (found: Buffer) => CODINGS[extension].decompress(found).equals(bytes),
    })),
  ]);
  const read = (path: string): Buffer | undefined => {
    try {
      return readFileSync(path);
    } catch {
      return undefined;
    }
  };
  const differing = expected.filter(({ name, isEqual }) => {
    const found = read(join(ASSETS, name));
    return found === undefined || !isEqual(found);
  });
  const names = new Set(expected.map(({ name }) => name));
  const present = existsSync(ASSETS) ? readdirSync(ASSETS) : [];
  const isManifestEqual = read(join(DIST, 'manifest.json'))?.toString() === manifestText(built);
  return [
    ...(isManifestEqual ? [] : ['manifest.json']),
    ...differing.map(({ name }) => name),
    ...present.filter((name) => !names.has(name)),
  ];
}

const built = await bundle();
if (process.argv.includes('--check')) {
  const drift = findDrift(built);
  if (drift.length > 0) {
    console.error(`web/dist differs (${drift.join(', ')}): run \`npm run web\``);
    process.exitCode = 1;
  }
} else write(built);
