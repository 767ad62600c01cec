// A web server with the rules of GitHub Pages: `/x` is x.html, `/x/` is x/index.html, and all other paths are 404.html.
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.json': 'application/json',
  '.xml': 'application/xml',
};

export interface SiteServer {
  readonly origin: string;
  close: () => void;
}

/** Serves a folder below a base path such as `/authservice/`. The folder can be built after the start. */
export async function serveSite(folder: string, base: string): Promise<SiteServer> {
  const server: Server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url!, 'http://localhost').pathname);
    const file = path.startsWith(base) ? fileOf(folder, path.slice(base.length)) : undefined;
    response.writeHead(file === undefined ? 404 : 200, { 'content-type': TYPES[extname(file ?? '404.html')] });
    createReadStream(file ?? join(folder, '404.html')).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://localhost:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function fileOf(folder: string, path: string): string | undefined {
  const candidates = path === '' || path.endsWith('/') ? [`${path}index.html`] : [path, `${path}.html`];
  return candidates.map((name) => join(folder, name)).find((name) => existsSync(name) && statSync(name).isFile());
}
