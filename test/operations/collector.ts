// An OpenTelemetry collector, and a server that receives what the collector sends on.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installCollector } from '../../scripts/operations-tools.ts';
import { emptyFolder, freePort } from '../support/service-process.ts';

/** A span as OTLP/JSON has it, with the name of its process. */
export interface CollectedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
}

/** A log record as OTLP/JSON has it, with the name of its process. */
export interface CollectedLog {
  readonly service: string;
  readonly timeUnixNano: string;
  readonly severityText: string;
  readonly eventName?: string;
  readonly body: { readonly stringValue?: string };
  readonly attributes: readonly { readonly key: string; readonly value: { stringValue?: string; intValue?: string } }[];
}

export interface Collector {
  /** Base URL of the receiver. */
  readonly url: string;
  /** All log records that have passed the collector. */
  readonly logs: readonly CollectedLog[];
  /** All spans that have passed the collector. */
  readonly spans: readonly CollectedSpan[];
  stop(): Promise<void>;
}

interface OfProcess {
  readonly resource: { readonly attributes: readonly { key: string; value: { stringValue?: string } }[] };
}
interface ExportRequest {
  readonly resourceSpans?: readonly (OfProcess & {
    readonly scopeSpans: readonly { readonly spans: readonly Omit<CollectedSpan, 'service'>[] }[];
  })[];
  readonly resourceLogs?: readonly (OfProcess & {
    readonly scopeLogs: readonly { readonly logRecords: readonly Omit<CollectedLog, 'service'>[] }[];
  })[];
}

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const logs: CollectedLog[] = [];
  const sink = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const exported = JSON.parse(Buffer.concat(chunks).toString()) as ExportRequest;
      spans.push(...spansIn(exported));
      logs.push(...logsIn(exported));
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  const sinkUrl = `http://127.0.0.1:${(sink.address() as AddressInfo).port}`;
  const address = `127.0.0.1:${await freePort()}`;
  const folder = emptyFolder();
  writeFileSync(
    join(folder, 'collector.yaml'),
    // YAML contains JSON.
    JSON.stringify({
      receivers: { otlp: { protocols: { http: { endpoint: address } } } },
      exporters: { otlphttp: { endpoint: sinkUrl, encoding: 'json', compression: 'none' } },
      service: {
        telemetry: { metrics: { level: 'none' } },
        pipelines: {
          traces: { receivers: ['otlp'], exporters: ['otlphttp'] },
          logs: { receivers: ['otlp'], exporters: ['otlphttp'] },
        },
      },
    }),
  );
  const child = spawn(installCollector(), ['--config', 'collector.yaml'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  for (let attempt = 0; !output.includes('Everything is ready'); attempt += 1) {
    if (attempt === 150 || child.exitCode !== null) throw new Error(`the collector does not start: ${output}`);
    await sleep(200);
  }
  return {
    url: `http://${address}`,
    spans,
    logs,
    async stop() {
      child.kill('SIGTERM');
      await exited;
      sink.close().closeAllConnections();
    },
  };
}

const nameOf = ({ resource }: OfProcess): string =>
  resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? 'unknown';

const spansIn = ({ resourceSpans = [] }: ExportRequest): CollectedSpan[] =>
  resourceSpans.flatMap((process) =>
    process.scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ service: nameOf(process), ...span }))),
  );

const logsIn = ({ resourceLogs = [] }: ExportRequest): CollectedLog[] =>
  resourceLogs.flatMap((process) =>
    process.scopeLogs.flatMap(({ logRecords }) => logRecords.map((log) => ({ service: nameOf(process), ...log }))),
  );
