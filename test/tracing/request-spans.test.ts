// The span of a request in the gateway: whose trace it belongs to, and when it ends.
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import Fastify, { type FastifyInstance } from 'fastify';
import { AlwaysOffSampler, ParentBasedSampler } from '@opentelemetry/sdk-trace';
import { afterEach, expect, it } from 'vitest';
import { traceRequests } from '../../gateway/http/trace-requests.ts';
import { recordSpans, type RecordedSpans } from '../support/spans.ts';
import { eventually } from '../support/eventually.ts';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT_ID = '00f067aa0ba902b7';
const traceparent = (flags: string) => `00-${TRACE_ID}-${PARENT_ID}-${flags}`;

let app: FastifyInstance;
afterEach(() => app.close());

async function serve(spans: RecordedSpans, trustedProxies: readonly string[] = []): Promise<string> {
  app = Fastify({ forceCloseConnections: true });
  traceRequests(app, spans.tracer, trustedProxies);
  app.get('/served', () => 'served');
  await app.listen({ host: '127.0.0.1', port: 0 });
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
}

async function onlySpan(spans: RecordedSpans) {
  await eventually(() => expect(spans.all()).toHaveLength(1));
  return spans.all()[0]!;
}

it.each([
  ['no peer is trusted', []],
  ['another peer is trusted', ['192.0.2.0/24']],
])('starts a new trace with a link to that of the client if %s', async (_case, trustedProxies) => {
  const spans = recordSpans();
  const url = await serve(spans, trustedProxies);
  // An unsampled parent would also suppress the span.
  const headers = { traceparent: traceparent('00'), 'x-forwarded-for': '192.0.2.1' };
  await fetch(`${url}/served`, { headers });
  const span = await onlySpan(spans);
  expect(span.spanContext().traceId).not.toBe(TRACE_ID);
  expect(span.parentSpanContext).toBeUndefined();
  expect(span.links.map(({ context: { traceId, spanId } }) => [traceId, spanId])).toEqual([[TRACE_ID, PARENT_ID]]);
});

it('does not record a request because a client that is not trusted demands it', async () => {
  const spans = recordSpans(new ParentBasedSampler({ root: new AlwaysOffSampler() }));
  const url = await serve(spans);
  await fetch(`${url}/served`, { headers: { traceparent: traceparent('01') } });
  expect(spans.all()).toEqual([]);
});

it('records a request that a trusted proxy demands', async () => {
  const spans = recordSpans(new ParentBasedSampler({ root: new AlwaysOffSampler() }));
  const url = await serve(spans, ['127.0.0.0/8']);
  await fetch(`${url}/served`, { headers: { traceparent: traceparent('01') } });
  const span = await onlySpan(spans);
  expect(span.parentSpanContext?.spanId).toBe(PARENT_ID);
  expect(span.links).toEqual([]);
});

it('has no link to an invalid traceparent', async () => {
  const spans = recordSpans();
  const url = await serve(spans);
  await fetch(`${url}/served`, { headers: { traceparent: 'nonsense' } });
  expect((await onlySpan(spans)).links).toEqual([]);
});

it('ends the span of a response once, with its status', async () => {
  const spans = recordSpans();
  const url = await serve(spans);
  await fetch(`${url}/served`);
  const span = await onlySpan(spans);
  expect(span.attributes['http.response.status_code']).toBe(200);
  expect(span.status.code).toBe(0);
});

it('ends the span if the client disconnects before the response', async () => {
  const spans = recordSpans();
  app = Fastify({ forceCloseConnections: true });
  traceRequests(app, spans.tracer, []);
  const arrived = Promise.withResolvers<void>();
  app.get('/never', () => {
    arrived.resolve();
    return new Promise(() => {});
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  await once(client, 'connect');
  client.write('GET /never HTTP/1.1\r\nHost: a.test\r\n\r\n');
  await arrived.promise;
  client.destroy();
  const span = await onlySpan(spans);
  expect(span.attributes['error.type']).toBe('client_disconnected');
  expect(span.attributes['http.response.status_code']).toBeUndefined();
});
