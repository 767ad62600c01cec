// The pages in DEV: rebuilt after a change of their sources, and reloaded then. Nothing is read before the first request of a page.
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createOnce, createStaticBody } from '../http/static-body.ts';
import { ASSET_HEADERS, type PageFiles, readPageFiles, typeOf } from '../pages/page-files.ts';
import type { PageSource } from '../pages/page-source.ts';

const RELOAD = 'reload.js';
const VERSION = '/dev/pages/version';
const INTERVAL_MS = 1_000;

/** Reloads the page when the version changes. While the service restarts, it waits. */
const RELOAD_SCRIPT = `const read = () =>
  fetch('${VERSION}').then((response) => (response.ok ? response.text() : undefined)).catch(() => undefined);
const first = await read();
setInterval(async () => {
  const version = document.hidden ? first : await read();
  if (version !== undefined && version !== first) location.reload();
}, ${INTERVAL_MS});
`;

/** Creates a source of pages that follows the files of web/. Without these files or the bundler, it has the last build. */
export function createRebuiltPages(app: FastifyInstance, log: Logger): PageSource {
  let version: string | undefined;
  let current: Promise<PageFiles> | undefined;

  async function build(previous: Promise<PageFiles> | undefined): Promise<PageFiles> {
    if (version === undefined) return withReload(await readPageFiles());
    try {
      return await buildPages();
    } catch (error) {
      log.warn({ err: error }, 'pages not rebuilt');
      return previous ?? withReload(await readPageFiles());
    }
  }

  async function files(): Promise<PageFiles> {
    const found = await readVersion();
    if (current === undefined || found !== version) {
      version = found;
      current = build(current);
    }
    return current;
  }

  app.get(VERSION, { schema: { hide: true } }, async (_request, reply) => {
    await files();
    return reply
      .header('cache-control', 'no-store')
      .type('text/plain; charset=utf-8')
      .send(version ?? '');
  });
  return { files, script: RELOAD };
}

/** Returns the digest of the sources; undefined if an installation has none. */
async function readVersion(): Promise<string | undefined> {
  try {
    const { hashSources } = await import('../../web/build/sources.ts');
    return hashSources();
  } catch {
    return undefined;
  }
}

/** Builds the pages in memory. The bundler is a development dependency. */
async function buildPages(): Promise<PageFiles> {
  const { bundle } = await import('../../web/build/bundle.ts');
  const { manifest, files } = await bundle();
  const bodies = new Map(
    [...files].map(([name, bytes]) => [name, createOnce(() => createStaticBody(bytes, typeOf(name), ASSET_HEADERS))]),
  );
  return withReload({ manifest, asset: async (name) => bodies.get(name)?.() });
}

function withReload({ manifest, asset }: PageFiles): PageFiles {
  const script = createOnce(() => createStaticBody(RELOAD_SCRIPT, typeOf(RELOAD), { 'cache-control': 'no-cache' }));
  return { manifest, asset: (name) => (name === RELOAD ? script() : asset(name)) };
}
