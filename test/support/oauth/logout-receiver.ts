// The back-channel logout endpoint of an application: a real HTTP server that keeps the logout tokens it gets.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { decodeJwt, type JWTPayload } from 'jose';
import { listenLocally } from '../listen-locally.ts';

export interface ReceivedLogout {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly token: string;
  readonly claims: JWTPayload;
}

export type LogoutReceiver = Awaited<ReturnType<typeof startLogoutReceiver>>;

/** @param respond Returns the status of a response; undefined never responds. Default: 200. */
export async function startLogoutReceiver(respond: (received: ReceivedLogout) => number | undefined = () => 200) {
  const received: ReceivedLogout[] = [];
  const options = { respond };
  const server = createServer((request, response) => {
    void text(request).then((form) => {
      const token = new URLSearchParams(form).get('logout_token')!;
      const logout = { path: request.url!, headers: request.headers, token, claims: decodeJwt(token) };
      received.push(logout);
      const status = options.respond(logout);
      if (status !== undefined) response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end();
    });
  });
  const port = await listenLocally(server);
  return {
    url: `http://127.0.0.1:${port}/logout`,
    received,
    of: (sid: unknown) => received.filter(({ claims }) => claims['sid'] === sid),
    /** Changes the responses. */
    set respond(next: typeof respond) {
      options.respond = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
