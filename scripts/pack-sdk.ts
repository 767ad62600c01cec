// Writes the packages for callers of the core to build/: pack-sdk.ts [proto] [npm] [python] [go] [maven]. Without names, all of
// them. Prints their paths. sdk/README.md explains them.
import { mkdirSync } from 'node:fs';
import { packGo } from './sdk/go.ts';
import { packMaven } from './sdk/maven.ts';
import { packNpm } from './sdk/npm.ts';
import { packProtos } from './sdk/protos.ts';
import { packPython } from './sdk/python.ts';
import { BUILD } from './sdk/staging.ts';

const PACKERS: Readonly<Record<string, () => string | Promise<string>>> = {
  proto: packProtos,
  npm: packNpm,
  python: packPython,
  go: packGo,
  maven: packMaven,
};

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(PACKERS);
const unknown = names.filter((name) => !Object.hasOwn(PACKERS, name));
if (unknown.length > 0) {
  console.error(`Unknown package: ${unknown.join(', ')}. Use some of: ${Object.keys(PACKERS).join(', ')}`);
  process.exit(1);
}
mkdirSync(BUILD, { recursive: true });
for (const name of names) console.log(await PACKERS[name]!());
