// Packs the packages for npm: `npm run pack` writes build/authservice-VERSION.tgz and build/authservice-client-VERSION.tgz, and lists
// their contents. It publishes nothing.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { packClient, packService, type Packed } from './pack/pack-packages.ts';

const PROJECT = join(import.meta.dirname, '..');

const { values } = parseArgs({ options: { out: { type: 'string', default: join(PROJECT, 'build') } } });
const folder = resolve(values.out);
for (const packed of [await packService(folder), packClient(folder)]) print(packed);

function print({ archive, bytes, unpackedBytes, files }: Packed): void {
  console.log(`${archive}: ${megabytes(bytes)} packed, ${megabytes(unpackedBytes)} unpacked, ${files.length} files`);
  const parts = Map.groupBy(files, ({ path }) => (path.includes('/') ? `${path.split('/', 1)[0]}/` : path));
  const rows = [...parts].map(([name, inside]) => ({ name, size: inside.reduce((sum, { size }) => sum + size, 0) }));
  for (const { name, size } of rows.toSorted((a, b) => b.size - a.size))
    console.log(`  ${name.padEnd(28)} ${megabytes(size)}`);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(2)} MB`;
}
