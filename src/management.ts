// The management port: metrics and health for those who run the service. Plain HTTP, so that it works whatever else fails.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Settings } from './config/settings.ts';
import type { Metrics } from './metrics.ts';

export interface ManagementOptions {
  readonly settings: Settings;
  readonly metrics: Metrics;
  /** Whether the process can serve now, its database included. */
  readonly ready: () => Promise<boolean>;
  /** Aborts when the process begins to stop: from then on it is not ready. */
  readonly stopping: AbortSignal;
}

export interface Management {
  readonly url: string;
  /** At once, whatever is under way: it is the last to end. */
  close(): Promise<void>;
}

type Answer = (response: ServerResponse) => Promise<void>;

/** Listens on app.management.host and app.management.port. */
export async function serveManagement({ settings, metrics, ready, stopping }: ManagementOptions): Promise<Management> {
  const answers: Readonly<Record<string, Answer>> = {
    '/metrics': async (response) => {
      const text = await metrics.registry.metrics();
      response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(text);
    },
    '/health/live': async (response) => sendJson(response, 200, { status: 'UP' }),
    '/health/ready': async (response) => {
      const up = await ready().catch(() => false);
      if (up && !stopping.aborted) sendJson(response, 200, { status: 'UP' });
      else sendProblem(response, '/health/ready', UNAVAILABLE);
    },
  };

  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0]!;
    const answer = Object.hasOwn(answers, path) ? answers[path] : undefined;
    if (!answer) return sendProblem(response, path, NOT_FOUND);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      return sendProblem(response, path, METHOD_NOT_ALLOWED);
    }
    answer(response).catch(() => sendProblem(response, path, INTERNAL));
  });
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

const NOT_FOUND = { status: 404, code: 'not-found', title: 'Not Found' };
const METHOD_NOT_ALLOWED = { status: 405, code: 'method-not-allowed', title: 'Method Not Allowed' };
const UNAVAILABLE = { status: 503, code: 'service-unavailable', title: 'Service Unavailable' };
const INTERNAL = { status: 500, code: 'internal-error', title: 'Internal Server Error' };

function sendProblem(response: ServerResponse, instance: string, problem: typeof NOT_FOUND): void {
  const { status, code, title } = problem;
  const body = { type: `urn:service:error:${code}`, title, status, detail: title, errorCode: code, instance };
  if (status === 503) response.setHeader('retry-after', '1');
  sendJson(response, status, body, 'application/problem+json');
}

function sendJson(response: ServerResponse, status: number, body: unknown, type = 'application/json'): void {
  if (response.headersSent) return;
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(JSON.stringify(body));
}
