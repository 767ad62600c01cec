// The export of spans: what arrives, what is counted, and what a collector that fails can cause.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterEach, expect, it, vi } from 'vitest';
import { createOtlpTracing } from '../../src/platform/tracing/otlp-tracing.ts';
import { openTracing } from '../../src/platform/tracing/open-tracing.ts';
import { eventually } from '../support/eventually.ts';
import { freezeTime, passTime } from '../support/frozen-time.ts';

const GONE = 'http://127.0.0.1:9';

let server: Server | undefined;
afterEach(() => server?.close().closeAllConnections());

async function listen(handle: RequestListener): Promise<string> {
  server = createServer(handle);
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function openTo(endpoint: string) {
  const lines: { msg: string; level: number }[] = [];
  const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line) as never) });
  const tracing = createOtlpTracing({ endpoint, sampleRatio: 1, serviceName: 'test', environment: 'TEST', log });
  return { tracing, lines };
}

it('sends all spans before it closes, and counts them', async () => {
  let bytes = 0;
  const endpoint = await listen((request, response) => {
    request.on('data', (chunk: Buffer) => (bytes += chunk.length));
    request.on('end', () => response.end());
  });
  const { tracing } = openTo(`${endpoint}/`);
  for (let count = 0; count < 700; count += 1) tracing.tracer.start('work').end();
  await tracing.close();
  expect(tracing.counts).toEqual({ recorded: 700, exported: 700, failed: 0 });
  expect(bytes).toBeGreaterThan(700 * 30);
});

it('drops spans beyond its queue instead of keeping them', async () => {
  const { tracing, lines } = openTo(GONE);
  for (let count = 0; count < 4_000; count += 1) tracing.tracer.start('work').end();
  freezeTime();
  try {
    const closing = tracing.close();
    await passTime(2_000);
    await closing;
  } finally {
    vi.useRealTimers();
  }
  expect(tracing.counts.recorded).toBe(4_000);
  expect(tracing.counts.exported).toBe(0);
  // The queue and the batch that was being sent.
  expect(tracing.counts.failed).toBeLessThanOrEqual(2_048 + 512);
  expect(lines.filter(({ msg }) => msg.startsWith('spans are lost'))).toHaveLength(1);
});

it('closes within its limit if the collector never responds', async () => {
  const asked = Promise.withResolvers<void>();
  const { tracing, lines } = openTo(await listen(() => asked.resolve()));
  tracing.tracer.start('work').end();
  freezeTime();
  try {
    const ended = vi.fn();
    const closing = tracing.close().then(ended);
    await asked.promise;
    await passTime(1_999);
    expect(ended).not.toHaveBeenCalled();
    await passTime(1);
    await closing;
    expect(lines).toMatchObject([{ problem: 'the collector is too slow' }]);
  } finally {
    vi.useRealTimers();
  }
});

it('logs a warning about a collector that rejects spans', async () => {
  const { tracing, lines } = openTo(
    await listen((request, response) => {
      request.resume().on('end', () => response.writeHead(401).end());
    }),
  );
  tracing.tracer.start('work').end();
  await tracing.close();
  await eventually(() => expect(lines).toHaveLength(1));
  expect(tracing.counts).toEqual({ recorded: 1, exported: 0, failed: 1 });
});

it('is off without an endpoint', async () => {
  const settings = {
    'app.env': 'TEST',
    'app.tracing.otlp-endpoint': undefined,
    'app.tracing.sample-ratio': 1,
    'app.tracing.service-name': 'test',
  } as const;
  expect(await openTracing(settings, pino({ level: 'silent' }))).toBeUndefined();
});
