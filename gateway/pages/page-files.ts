// The files of the pages: those that `npm run web` wrote to web/dist.
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { type StaticBody, type StaticHeaders, createOnce, precompressedBody } from '../http/static-body.ts';

const DIST = new URL('../../web/dist/', import.meta.url);

interface PageScripts {
  readonly script: string;
  readonly imports: readonly string[];
  /** The further scripts of each part that is loaded later, such as a screen, by its name. */
  readonly lazy: Readonly<Record<string, readonly string[]>>;
}

/** web/dist/manifest.json. */
export interface Manifest {
  readonly style: string;
  readonly icon: string;
  readonly pages: Readonly<Record<string, PageScripts>>;
  /** Of the settings, not of the build. */
  readonly brand?: { readonly style?: string; readonly logo?: string };
}

export interface PageFiles {
  readonly manifest: Manifest;
  /** Returns undefined for an unknown name. */
  asset(name: string): Promise<StaticBody | undefined>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** The name of a file contains the hash of its content. */
export const ASSET_HEADERS: StaticHeaders = {
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
};

/** Returns the media type of an asset. */
export const typeOf = (name: string): string => TYPES[extname(name)] ?? 'application/octet-stream';

/** Reads the manifest. An asset is read before its first response. */
export async function readPageFiles(): Promise<PageFiles> {
  const manifest = JSON.parse(await readFile(new URL('manifest.json', DIST), 'utf8')) as Manifest;
  const names = new Set([
    manifest.style,
    manifest.icon,
    ...Object.values(manifest.pages).flatMap(({ script, imports, lazy }) => [
      script,
      ...imports,
      ...Object.values(lazy).flat(),
    ]),
  ]);
  const bodies = new Map([...names].map((name) => [name, createOnce(() => readAsset(name))]));
  return { manifest, asset: async (name) => bodies.get(name)?.() };
}

async function readAsset(name: string): Promise<StaticBody> {
  const read = (extension: string) => readFile(new URL(`assets/${name}${extension}`, DIST));
  const [br, gzip, identity] = await Promise.all([read('.br'), read('.gz'), read('')]);
  return precompressedBody({ br, gzip, identity }, typeOf(name), ASSET_HEADERS);
}
