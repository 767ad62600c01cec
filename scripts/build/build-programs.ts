// Bundles the programs. The result has the folders of the project as far as a program reads them, so addresses relative to a
// source stay right.
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build, type OutputChunk, type Plugin } from 'rolldown';
import { developmentPackages, lockedPackages, pagePackages } from '../sbom/shipped-packages.ts';

const PROJECT = join(import.meta.dirname, '../..');

const PROGRAMS = ['gateway/main', 'src/main', 'cli/main'];

/** Files that are loaded by their address, and what modules outside this project import. */
const LOADED = ['src/module', 'src/platform/db/sqlite/*-thread', 'src/platform/files/encode-program', 'migrations/*'];

/** Files that programs read. The demo's page in DEV is made of client/. */
const READ = [
  'proto/**/*.proto',
  'proto/gen/*.{binpb,json}',
  'third_party/**/*.proto',
  'third_party/seclists/*',
  'src/auth/mail/templates/**/*.txt',
  'web/dist/**/*.*',
  'client/{demo,src}/**/*.*',
  'LICENSE',
  'THIRD_PARTY_NOTICES',
];

/**
 * Packages that stay in node_modules: with parts of the machine's type, or loaded by their names while a program runs. Few
 * processes need them, or late. npm installs them without a warning on each Node from 20, which runs `authservice`.
 */
export const KEPT: readonly string[] = [
  '@aws-sdk/client-s3',
  '@grpc/proto-loader',
  '@grpc/reflection',
  'argon2',
  'bcrypt',
  'knex',
  'pino-pretty',
  'rate-limiter-flexible',
  'redis',
  'sharp',
  'yaml',
];

interface Build {
  /** The paths of the programs in the folder. */
  readonly programs: readonly string[];
  /** The packages whose code it contains, also in its pages: their paths in the lock file. */
  readonly packages: readonly string[];
  readonly seconds: number;
}

/** Writes the programs to a folder, which it empties first. Programs find the packages that stay from there. */
export async function buildPrograms(folder: string): Promise<Build> {
  const began = performance.now();
  const development = developmentPackages(PROJECT);
  const patterns = [...PROGRAMS, ...LOADED].map((pattern) => `${pattern}.ts`);
  const entries = globSync(patterns, { cwd: PROJECT }).map((path) => path.replace(/\.ts$/, ''));
  rmSync(folder, { recursive: true, force: true });
  const { output } = await build({
    input: Object.fromEntries(entries.toSorted().map((path) => [path, join(PROJECT, `${path}.ts`)])),
    cwd: PROJECT,
    platform: 'node',
    tsconfig: false,
    // The pages in DEV are rebuilt only where the sources and the bundler are. A package may use one of development if it is there, as
    // `debug` does for colours.
    external: (id, importer = '') =>
      KEPT.some((name) => id === name || id.startsWith(`${name}/`)) ||
      id.includes('/web/build/') ||
      (development.has(id) && importer.includes('/node_modules/')),
    plugins: [addresses],
    output: {
      dir: folder,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      intro: ({ fileName }) => `const ${ROOT} = new URL(${JSON.stringify(toRoot(fileName))}, import.meta.url).href;`,
      // V8 keeps the text of all code in memory. Names stay, because stack traces show them.
      minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
      comments: false,
      sourcemap: true,
      sourcemapExcludeSources: true,
      sourcemapPathTransform: (source, map) => inFolder(source, map, folder),
    },
  });
  for (const path of globSync(READ, { cwd: PROJECT })) cpSync(join(PROJECT, path), join(folder, path));
  const chunks = output.filter((file): file is OutputChunk => file.type === 'chunk');
  const bundled = chunks.flatMap(({ moduleIds }) => moduleIds.flatMap(packageOf));
  const packages = [...new Set([...bundled, ...Object.keys(pagePackages(PROJECT))])].toSorted();
  assertNotices(packages);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(packageOfBuild(), undefined, 2)}\n`);
  const programs = PROGRAMS.map((name) => `${name}.js`);
  return { programs, packages, seconds: (performance.now() - began) / 1_000 };
}

/** The folder of a package, in the path of one of its files. */
const PACKAGE = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/** The path in the lock file of the package that a module is from. The project's own modules have none. */
const packageOf = (module: string): readonly string[] =>
  (PACKAGE.exec(module) ?? []).map((folder) => relative(PROJECT, folder));

/** Throws if the notices that go with a build lack one of its packages. Their licences demand it. */
function assertNotices(packages: readonly string[]): void {
  const notices = new Set(readFileSync(join(PROJECT, 'THIRD_PARTY_NOTICES'), 'utf8').split('\n'));
  for (const [path, { version, license }] of Object.entries(lockedPackages(PROJECT, packages))) {
    const title = `${path.split('node_modules/').at(-1)} ${version} (${license})`;
    if (!notices.has(title)) throw new Error(`THIRD_PARTY_NOTICES lacks ${title}. Update it: npm run docs`);
  }
}

/** The address of the build's folder in each of its files. */
const ROOT = 'buildFolder';

const toRoot = (fileName: string): string => `${relative(dirname(fileName), '.')}/`;

/** Gives each source its address in the build. Code moves to other files there. */
const addresses: Plugin = {
  name: 'addresses',
  transform(code, id) {
    if (id.includes('/node_modules/') || !code.includes('import.meta.url')) return;
    const own = JSON.stringify(relative(PROJECT, id).replace(/\.ts$/, '.js'));
    return {
      code: code
        .replaceAll(/(new URL\('[^']+)\.ts(', import\.meta\.url\))/g, '$1.js$2')
        .replaceAll('import.meta.url', `(${ROOT} + ${own})`),
      map: null,
    };
  },
};

/** Lets a source map name a source as if it lay in the build's folder. */
function inFolder(source: string, map: string, folder: string): string {
  const path = relative(PROJECT, join(dirname(map), source));
  return relative(dirname(map), join(folder, path));
}

/** The package.json of the build: the version, and the packages that it needs beside it. */
function packageOfBuild(): object {
  const { name, version, description, license, engines, dependencies } = JSON.parse(
    readFileSync(join(PROJECT, 'package.json'), 'utf8'),
  ) as Readonly<Record<string, unknown>> & { readonly dependencies: Readonly<Record<string, string>> };
  const kept = Object.fromEntries(KEPT.map((needed) => [needed, dependencies[needed]!]));
  return { name, version, private: true, description, license, type: 'module', engines, dependencies: kept };
}
