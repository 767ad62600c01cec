// The OpenAPI document for the client's types. It comes from a gateway that is created without listening.
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { buildApp } from '../../gateway/app.ts';
import { connectClients } from '../../gateway/clients.ts';
import { createHttpMetrics } from '../../gateway/metrics.ts';
import { loadSettings } from '../../src/platform/config/load.ts';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
  responses: Record<string, { readonly content?: Readonly<Record<string, unknown>> }>;
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** With all parts that settings turn on. */
const ARGV = ['--app.env=TEST', '--app.public-url=https://auth.example.com', '--app.mail.url=file:mail'];

/** Reads the document of Profile A. It omits error responses, because the client throws them as one type. */
export async function readDocument(): Promise<Document> {
  const { settings } = loadSettings({ argv: ARGV, env: {}, cwd: '/nonexistent' });
  const log = pino({ level: 'silent' });
  // No RPC is called.
  const clients = connectClients(() => ({}) as never);
  const app = await buildApp({ settings, log, clients, metrics: createHttpMetrics(new Registry()) });
  const document = (await app.inject('/openapi.json')).json<Document>();
  await app.close();
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path)))
    operation.responses = Object.fromEntries(
      Object.entries(operation.responses).filter(([status]) => status.startsWith('2')),
    );
  return document;
}
