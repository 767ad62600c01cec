// A front end: a page with the built client, and the service behind the same origin. What happens to refreshes on their way is up
// to the test.
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join, normalize } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const DIST = join(import.meta.dirname, '../../dist');
const PAGE = `<!doctype html><title>Front end</title><script type="module" src="/page.js"></script>`;
const SCRIPT = `
import * as client from '/client/index.js';
import * as api from '/client/operations.js';
const { profile, ...options } = JSON.parse(decodeURIComponent(location.hash.slice(1)) || '{}');
const session = profile === 'B'
  ? client.createTokenSession({ store: client.localStorageStore(), ...options })
  : client.createCookieSession(options);
const seen = [];
session.subscribe(() => seen.push(session.getSnapshot().status));
Object.assign(window, { client, api, session, seen });
`;

/** A refresh that came through. */
export interface Refresh {
  /** When it arrived, and when its response left, in milliseconds. */
  readonly from: number;
  until?: number;
  status?: number;
  /** Expiry of the access token in the response, in milliseconds. */
  expiresAt?: number;
}

/** What happens to one refresh before it reaches the service, and before its response reaches the browser. */
export interface Detour {
  readonly before?: () => Promise<void>;
  readonly after?: () => Promise<void>;
  /** Answers in place of the service. */
  readonly respond?: (response: ServerResponse) => void;
}

export interface Front {
  readonly url: string;
  readonly refreshes: Refresh[];
  /** For the next refreshes, one each. */
  readonly detours: Detour[];
  close(): Promise<void>;
}

/** Serves the page, and passes `/api` on to the service. */
export async function startFront(service: string, ownPort = 0): Promise<Front> {
  const refreshes: Refresh[] = [];
  const detours: Detour[] = [];
  const server = createServer((incoming, response) => {
    const path = incoming.url ?? '/';
    if (!path.startsWith('/api/')) return serveFile(path, response);
    const isRefresh = path === '/api/v1/auth/refresh' && incoming.method === 'POST';
    // A tab that is closed tears its requests.
    passOn(incoming, response, service, isRefresh ? track() : undefined).catch(() => response.destroy());
  });
  function track(): { refresh: Refresh; detour: Detour } {
    const refresh = { from: Date.now() };
    refreshes.push(refresh);
    return { refresh, detour: detours.shift() ?? {} };
  }
  await new Promise<void>((resolve) => server.listen(ownPort, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    refreshes,
    detours,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function passOn(
  incoming: IncomingMessage,
  response: ServerResponse,
  service: string,
  tracked: { refresh: Refresh; detour: Detour } | undefined,
): Promise<void> {
  const { refresh, detour = {} } = tracked ?? {};
  const chunks = await Array.fromAsync(incoming as AsyncIterable<Buffer>);
  await detour.before?.();
  // The caller has gone away meanwhile.
  if (response.destroyed) return;
  if (detour.respond) return detour.respond(response);
  const { method, url, headers } = incoming;
  const outgoing = request(new URL(url!, service), { method, headers, agent: false });
  response.on('close', () => outgoing.destroy());
  outgoing.end(Buffer.concat(chunks));
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject);
  });
  const body = Buffer.concat(await Array.fromAsync(answer as AsyncIterable<Buffer>));
  if (refresh) note(refresh, answer.statusCode!, body);
  await detour.after?.();
  response.writeHead(answer.statusCode!, answer.headers).end(body);
}

function note(refresh: Refresh, status: number, body: Buffer): void {
  refresh.until = Date.now();
  refresh.status = status;
  if (status !== 200) return;
  const { accessToken, access_token: token = accessToken } = JSON.parse(String(body)) as Record<string, string>;
  refresh.expiresAt = JSON.parse(Buffer.from(token!.split('.')[1]!, 'base64url').toString()).exp * 1000;
}

function serveFile(path: string, response: ServerResponse): void {
  if (path === '/') return void response.setHeader('content-type', 'text/html').end(PAGE);
  response.setHeader('content-type', 'text/javascript');
  if (path === '/page.js') return void response.end(SCRIPT);
  const file = join(DIST, normalize(path.replace(/^\/client/, '')));
  try {
    response.end(readFileSync(file));
  } catch {
    response.writeHead(404).end();
  }
}

/** A detour that never ends. */
export const FOREVER = () => sleep(600_000, undefined, { ref: false });
