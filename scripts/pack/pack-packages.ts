// The packages for npm. `authservice` is a build as plain JavaScript, since Node strips no types inside node_modules. What the build
// does not contain, and Node itself, are its dependencies.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildPrograms } from '../build/build-programs.ts';

const PROJECT = join(import.meta.dirname, '../..');

/** The program of the package, and the files that only the package has: their places in the project by those in the package. */
const PROGRAM = 'bin/authservice.cjs';
const ADDED = { [PROGRAM]: 'cli/npm/authservice.cjs', 'README.md': 'cli/npm/README.md' };

/** A packed package. */
export interface Packed {
  /** The path of the archive. */
  readonly archive: string;
  readonly bytes: number;
  readonly unpackedBytes: number;
  readonly files: readonly { readonly path: string; readonly size: number }[];
}

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/** Builds `authservice` in a folder below `folder`, and packs it into `folder`. */
export async function packService(folder: string): Promise<Packed> {
  const staged = join(folder, 'npm/authservice');
  await buildPrograms(staged);
  for (const [path, source] of Object.entries(ADDED)) {
    mkdirSync(dirname(join(staged, path)), { recursive: true });
    cpSync(join(PROJECT, source), join(staged, path));
  }
  chmodSync(join(staged, PROGRAM), 0o755);
  writeFileSync(join(staged, 'package.json'), `${JSON.stringify(manifestOf(staged), undefined, 2)}\n`);
  return pack(staged, folder);
}

/** Builds `authservice-client`, and packs it into `folder`. */
export function packClient(folder: string): Packed {
  return pack(join(PROJECT, 'client'), folder);
}

/** The package.json of a build, with what npm needs of it. */
function manifestOf(staged: string): object {
  const { private: _private, ...built } = readManifest(staged) as Manifest & { readonly private?: boolean };
  return {
    ...built,
    keywords: ['authentication', 'sessions', 'oauth2', 'multi-tenant', 'grpc'],
    bin: { authservice: PROGRAM },
    exports: { './package.json': './package.json' },
    // npm installs the Node of the machine's type, whatever Node it runs on. Others would only get a warning.
    engines: undefined,
    optionalDependencies: readManifest(PROJECT).optionalDependencies,
  };
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

function pack(source: string, target: string): Packed {
  mkdirSync(target, { recursive: true });
  const args = ['pack', '--silent', '--json', '--pack-destination', target];
  const output = execFileSync('npm', args, { cwd: source, encoding: 'utf8', maxBuffer: 2 ** 26 });
  const [packed] = JSON.parse(output) as [
    { filename: string; size: number; unpackedSize: number; files: { path: string; size: number }[] },
  ];
  const { filename, size, unpackedSize, files } = packed;
  return { archive: join(target, filename), bytes: size, unpackedBytes: unpackedSize, files };
}
