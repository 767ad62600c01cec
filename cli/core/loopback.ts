// The redirect of a login to this machine (RFC 8252 section 7.3).
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CommandFailure, EXIT } from '../failure.ts';

export interface Loopback {
  readonly redirectUri: string;
  /** The parameters that the browser comes back with. Rejects if the signal aborts, or with CommandFailure after the limit. */
  readonly callback: Promise<URLSearchParams>;
  close(): void;
}

const PATH = '/callback';
const PAGE =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Login</title>' +
  '<p>You can close this page and go back to the terminal.</p></html>';

/** Listens at a free port of this machine alone, for at most `limitMs`. The first request with parameters counts. */
export async function openLoopback(signal: AbortSignal, limitMs: number): Promise<Loopback> {
  const { promise: callback, resolve, reject } = Promise.withResolvers<URLSearchParams>();
  // Nobody waits for it if the login fails before.
  callback.catch(() => undefined);
  const server = createServer((request, response) => {
    const url = URL.parse(request.url ?? '/', 'http://127.0.0.1');
    const parameters = request.method === 'GET' && url?.pathname === PATH ? url.searchParams : new URLSearchParams();
    const isCallback = parameters.size > 0;
    // A browser that has gone before it got the page has come back, too.
    if (isCallback) response.once('close', () => resolve(parameters));
    response
      .writeHead(isCallback ? 200 : 404, {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'",
        'referrer-policy': 'no-referrer',
        connection: 'close',
      })
      .end(isCallback ? PAGE : '');
  });
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  const { promise: listening, ...started } = Promise.withResolvers<void>();
  server.once('error', started.reject).listen(0, '127.0.0.1', started.resolve);
  await listening;
  const tooLate = () => reject(new CommandFailure('the login took too long; try again', EXIT.credential));
  const limit = setTimeout(tooLate, limitMs);
  const { port } = server.address() as AddressInfo;
  return {
    redirectUri: `http://127.0.0.1:${port}${PATH}`,
    callback,
    close() {
      clearTimeout(limit);
      server.close();
      server.closeAllConnections();
    },
  };
}
