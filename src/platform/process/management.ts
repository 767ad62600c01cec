// The management port: metrics and health for operators. It uses plain HTTP, so that it works even if other parts fail.
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { isIP, type AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { limitPipelining } from '../concurrency/pipelining.ts';
import type { Settings } from '../config/settings.ts';
import { failure, problem, type Failure } from '../problem/problem.ts';
import type { ConnectionLimit } from './connection-limit.ts';

interface ManagementOptions {
  readonly settings: Settings;
  /** Returns the text of the metrics and its type. */
  readonly metrics: { readonly registry: { readonly contentType: string; metrics(): Promise<string> } };
  /** Returns why the process cannot serve now, without secrets; undefined if it can. */
  readonly problem: () => Promise<string | undefined>;
  /** Aborts when the process begins to stop. From then on it is not ready. */
  readonly stopping: AbortSignal;
  readonly connections: ConnectionLimit;
}

export interface Management {
  readonly url: string;
  /** Closes at once and cancels open requests. The management port stops last. */
  close(): Promise<void>;
}

type Responder = (response: ServerResponse) => Promise<void>;

/** Listens on app.management.host and app.management.port. */
export async function serveManagement({
  settings,
  metrics,
  problem: findProblem,
  stopping,
  connections,
}: ManagementOptions): Promise<Management> {
  const responders: Readonly<Record<string, Responder>> = {
    '/metrics': async (response) => {
      const text = await metrics.registry.metrics();
      send(response, 200, { 'content-type': metrics.registry.contentType }, text);
    },
    '/health/live': async (response) => sendJson(response, 200, { status: 'UP' }),
    '/health/ready': async (response) => {
      const reason = stopping.aborted ? 'The process stops' : await findProblem().catch(() => 'The check failed');
      if (reason === undefined) sendJson(response, 200, { status: 'UP' });
      else sendProblem(response, '/health/ready', failure('SERVICE_UNAVAILABLE', reason));
    },
  };

  const isKnownHost = hostCheck(settings);
  const server = createServer(LIMITS, (request, response) => {
    const path = (request.url ?? '/').split('?')[0]!;
    const respond = Object.hasOwn(responders, path) ? responders[path] : undefined;
    if (!isKnownHost(request)) return sendProblem(response, path, MISDIRECTED);
    if (!respond) return sendProblem(response, path, failure('NOT_FOUND'));
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      return sendProblem(response, path, failure('METHOD_NOT_ALLOWED'));
    }
    respond(response).catch(() => sendProblem(response, path, failure('INTERNAL_ERROR')));
  });
  limitPipelining(server, () => {});
  connections.guard(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(settings['app.management.port'], settings['app.management.host'], resolve);
  });
  const { address, port, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

// An import of node:http would load undici; see gateway/http/node-http.ts.
const { createServer } = process.getBuiltinModule('node:http');

/** Timeouts in milliseconds. Requests have no body, and scrapers send few. */
const LIMITS = { headersTimeout: 10_000, requestTimeout: 15_000, connectionsCheckingInterval: 1_000 };

/**
 * Checks the Host header to prevent DNS rebinding, by which a web page could read this port.
 * Accepts only names that no foreign page can have: IP addresses, localhost, the machine's name, and the configured
 * names.
 */
function hostCheck(settings: Settings): (request: IncomingMessage) => boolean {
  const names = new Set(
    ['localhost', hostname(), settings['app.management.host'], ...settings['app.management.allowed-hosts']].map(
      (name) => name.toLowerCase(),
    ),
  );
  return ({ headersDistinct, httpVersion }) => {
    const [host, ...others] = headersDistinct['host'] ?? [];
    // Browsers always send a Host header.
    if (host === undefined) return httpVersion === '1.0';
    const name = host.replace(/:\d*$/, '').toLowerCase();
    return others.length === 0 && (names.has(name) || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0);
  };
}

const MISDIRECTED = failure(
  'MISDIRECTED_REQUEST',
  'The Host header names another server; add its name to app.management.allowed-hosts',
);

function sendProblem(response: ServerResponse, instance: string, shown: Failure): void {
  const { status, headers, body } = problem(shown, 'maximal', instance);
  send(response, status, { ...headers, 'cache-control': 'no-store' }, JSON.stringify(body));
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  send(response, status, { 'content-type': 'application/json', 'cache-control': 'no-store' }, JSON.stringify(body));
}

function send(response: ServerResponse, status: number, headers: OutgoingHttpHeaders, body: string): void {
  if (response.headersSent) return;
  const length = Buffer.byteLength(body);
  response.writeHead(status, { ...headers, 'x-content-type-options': 'nosniff', 'content-length': length }).end(body);
}
