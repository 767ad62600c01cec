// Where the pages come from: the files of web/dist, or in DEV those of a new build, with the brand of the settings.
import type { FastifyInstance } from 'fastify';
import type { GatewaySettings } from '../../src/platform/config/settings.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { createOnce, sendStaticBody, type StaticBody } from '../http/static-body.ts';
import { type Brand, withBrand } from './brand.ts';
import { type PageFiles, readPageFiles } from './page-files.ts';
import { renderShell } from './shell.ts';

/** The files of the pages. They can change while the service runs only in DEV. */
export interface PageSource {
  files(): Promise<PageFiles>;
  /** A further script of each page. */
  readonly script?: string;
}

/** The files of web/dist, which are read at the first request. */
export const BUILT_PAGES: PageSource = { files: createOnce(readPageFiles) };

/** Returns the source with the brand. */
export function branded(source: PageSource, brand: Brand): PageSource {
  const made = new WeakMap<PageFiles, Promise<PageFiles>>();
  return {
    ...source,
    async files() {
      const files = await source.files();
      const result = made.get(files) ?? withBrand(files, brand);
      made.set(files, result);
      return result;
    },
  };
}

/** Path of the pages: that of the public URL. */
export function pagesBase(settings: Pick<GatewaySettings, 'app.http.context-path'>): string {
  const contextPath = settings['app.http.context-path'];
  return contextPath === 'any' ? '' : contextPath;
}

/** Adds the route of the files that pages load. */
export function servePageFiles(app: FastifyInstance, settings: GatewaySettings, source: PageSource): void {
  const path = `${pagesBase(settings)}/assets/:name`;
  app.get<{ Params: { name: string } }>(path, { schema: { hide: true } }, async (request, reply) => {
    const body = await (await source.files()).asset(request.params.name);
    if (body === undefined) throw new GatewayError('NOT_FOUND');
    return sendStaticBody(request, reply, body);
  });
}

/**
 * Returns a function that returns the HTML of a page.
 *
 * @param home Path of the start page, if there is one.
 */
export function createShells(
  settings: GatewaySettings,
  source: PageSource,
  home?: string,
): (name: string) => Promise<StaticBody> {
  const shells = new WeakMap<PageFiles, Map<string, Promise<StaticBody>>>();
  const page = { base: pagesBase(settings), title: settings['app.brand.name'], home };
  return async (name) => {
    const files = await source.files();
    const rendered = shells.get(files) ?? new Map<string, Promise<StaticBody>>();
    shells.set(files, rendered);
    const made = rendered.get(name) ?? renderShell(files.manifest, { name, ...page }, source);
    rendered.set(name, made);
    return made;
  };
}
