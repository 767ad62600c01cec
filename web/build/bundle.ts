// Bundles the pages: scripts, style sheet and icon, with a content hash in each name. rolldown and lightningcss are development
// dependencies, so only `npm run web`, the checks and `npm run dev` import this file.
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'lightningcss';
import { build, type OutputChunk } from 'rolldown';

const PROJECT = join(import.meta.dirname, '../..');
const SOURCES = join(PROJECT, 'web/src');

/** The scripts of the pages. Each page but that of the API is also a row of gateway/pages/pages.ts. */
const PAGES = {
  login: 'login/main.tsx',
  logout: 'logout/main.tsx',
  recover: 'recover/main.tsx',
  device: 'device/main.tsx',
  invite: 'invite/main.tsx',
  email: 'email/main.tsx',
  account: 'account/main.tsx',
  console: 'console/main.tsx',
  docs: 'docs/main.tsx',
} as const;

/** Parts of several pages. They rarely change, and keep their names then. */
const SHARED = [
  // The QR code is drawn by few logins, so its package is no part of them.
  { name: 'vendor', test: /node_modules[\\/](?!uqr[\\/])/ },
  // The client loads the others itself, where they are needed. One screen follows records.
  { name: 'client', test: /[\\/]client[\\/]src[\\/](?!lease-lock|same-site|follow-|event-stream)/ },
  { name: 'ui', test: /[\\/]web[\\/]src[\\/](?:ui[\\/](?!qr-code)|texts|[^\\/]+\.tsx?$)/ },
];

/** The scripts that a page loads. */
interface PageScripts {
  readonly script: string;
  /** The scripts that `script` imports. */
  readonly imports: readonly string[];
  /** The further scripts of each part that is loaded later, such as a screen or a part of one, by its name. */
  readonly lazy: Readonly<Record<string, readonly string[]>>;
}

interface Manifest {
  readonly style: string;
  readonly icon: string;
  readonly pages: Readonly<Record<string, PageScripts>>;
}

export interface Bundle {
  readonly manifest: Manifest;
  /** The content of each file by its name. */
  readonly files: ReadonlyMap<string, Buffer>;
}

/** Builds everything in memory. The same sources give the same bytes. */
export async function bundle(): Promise<Bundle> {
  const files = new Map<string, Buffer>();
  const add = (name: string, extension: string, content: Buffer): string => {
    const file = `${name}-${digest(content).slice(0, 10)}.${extension}`;
    files.set(file, content);
    return file;
  };
  const chunks = await bundleScripts();
  for (const { fileName, code } of chunks) files.set(fileName, Buffer.from(code));
  const pages = chunks.filter(({ isEntry }) => isEntry).map((chunk) => [chunk.name, scriptsOf(chunk, chunks)] as const);
  return {
    manifest: {
      style: add('style', 'css', styleSheet()),
      icon: add('icon', 'svg', readFileSync(join(PROJECT, 'client/demo/icon.svg'))),
      pages: Object.fromEntries(pages),
    },
    files,
  };
}

async function bundleScripts(): Promise<readonly OutputChunk[]> {
  const { output } = await build({
    input: Object.fromEntries(Object.entries(PAGES).map(([name, file]) => [name, join(SOURCES, file)])),
    cwd: PROJECT,
    platform: 'browser',
    write: false,
    tsconfig: false,
    transform: { jsx: { runtime: 'automatic', importSource: 'preact' }, target: 'es2022' },
    output: {
      format: 'esm',
      minify: true,
      comments: false,
      entryFileNames: '[name]-[hash].js',
      chunkFileNames: '[name]-[hash].js',
      codeSplitting: { groups: SHARED },
    },
  });
  return output.filter((file) => file.type === 'chunk');
}

function scriptsOf(page: OutputChunk, chunks: readonly OutputChunk[]): PageScripts {
  const first = withImports(page, chunks);
  return {
    script: page.fileName,
    imports: namesOf(first.filter((chunk) => chunk !== page)),
    lazy: Object.fromEntries(partsAfter(first, chunks)),
  };
}

/** Returns the parts that loaded scripts load later, and the parts of those, each with the scripts that it adds. */
function partsAfter(loaded: readonly OutputChunk[], chunks: readonly OutputChunk[]): readonly [string, string[]][] {
  const found = new Map<OutputChunk, readonly OutputChunk[]>();
  const find = (present: readonly OutputChunk[]): void => {
    const later = new Set(present.flatMap(({ dynamicImports }) => dynamicImports));
    const parts = chunks.filter((chunk) => later.has(chunk.fileName) && !present.includes(chunk) && !found.has(chunk));
    for (const part of parts)
      found.set(
        part,
        withImports(part, chunks).filter((chunk) => !present.includes(chunk)),
      );
    for (const part of parts) find([...present, ...found.get(part)!]);
  };
  find(loaded);
  return [...found].map(([part, added]) => [part.name, namesOf(added)]);
}

const namesOf = (chunks: readonly OutputChunk[]): string[] => chunks.map(({ fileName }) => fileName).toSorted();

/** Returns a chunk and all chunks that it imports, except those that it loads later. */
function withImports(chunk: OutputChunk, chunks: readonly OutputChunk[]): readonly OutputChunk[] {
  const found = new Set([chunk]);
  for (const { imports } of found)
    for (const imported of chunks) if (imports.includes(imported.fileName)) found.add(imported);
  return [...found];
}

/** Joins the style sheets in the order of their names. */
function styleSheet(): Buffer {
  const names = globSync('web/styles/*.css', { cwd: PROJECT }).toSorted();
  const code = Buffer.concat(names.map((name) => readFileSync(join(PROJECT, name))));
  return Buffer.from(transform({ filename: 'style.css', code, minify: true }).code);
}

const digest = (content: Buffer): string =>
  createHash('sha256').update(content).digest('base64url').replaceAll(/[_-]/g, '');
