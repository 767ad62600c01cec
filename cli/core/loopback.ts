// The redirect of a login to this machine (RFC 8252 section 7.3).
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Loopback {
  readonly redirectUri: string;
  /** The parameters that the browser comes back with. Rejects if the signal aborts. */
  readonly callback: Promise<URLSearchParams>;
  close(): void;
}

const PATH = '/callback';
const PAGE =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Login</title>' +
  '<p>You can close this page and go back to the terminal.</p></html>';

/** Listens at a free port of this machine alone. The first request with parameters counts. */
export async function openLoopback(signal: AbortSignal): Promise<Loopback> {
  const { promise: callback, resolve, reject } = Promise.withResolvers<URLSearchParams>();
  // Nobody waits for it if the login fails before.
  callback.catch(() => undefined);
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const isCallback = request.method === 'GET' && pathname === PATH && searchParams.size > 0;
    response
      .writeHead(isCallback ? 200 : 404, {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'",
        'referrer-policy': 'no-referrer',
        connection: 'close',
      })
      .end(isCallback ? PAGE : '', () => isCallback && resolve(searchParams));
  });
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  const { promise: listening, ...started } = Promise.withResolvers<void>();
  server.once('error', started.reject).listen(0, '127.0.0.1', started.resolve);
  await listening;
  const { port } = server.address() as AddressInfo;
  return {
    redirectUri: `http://127.0.0.1:${port}${PATH}`,
    callback,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
