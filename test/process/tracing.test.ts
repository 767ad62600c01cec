// Traces of a whole process: to a collector that works, to one that is gone, and to one that never responds.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import { restClient } from '../support/rest-client.ts';
import { emptyFolder, endProcesses, FREE_PORTS, startProgram } from '../support/service-process.ts';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACED = { traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-01` };

const servers: Server[] = [];
afterEach(endProcesses);
afterAll(() => {
  for (const server of servers) server.close().closeAllConnections();
});

async function listen(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function startTraced(endpoint: string) {
  const service = startProgram('gateway', {
    settings: {
      ...FREE_PORTS,
      'app.env': 'DEV',
      'app.database.url': `sqlite:${join(emptyFolder(), 'service.db')}`,
      'app.tracing.otlp-endpoint': endpoint,
      'app.http.trusted-proxies': '127.0.0.1',
    },
  });
  return { service, addresses: await service.ready() };
}

it('sends the spans of a stopping process and names the trace in its log lines', async () => {
  const received: { path: string | undefined; type: string | undefined; body: Buffer }[] = [];
  const endpoint = await listen((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ path: request.url, type: request.headers['content-type'], body: Buffer.concat(chunks) });
      response.end();
    });
  });
  const { service, addresses } = await startTraced(endpoint);
  const rest = restClient(addresses.http);
  const wrong = { username: 'alice@acme.test', password: 'wrong' };
  expect((await rest.login(wrong, { ...TRACED, 'x-request-id': 'traced' })).status).toBe(401);
  expect((await rest.login(wrong, { 'x-request-id': 'untraced' })).status).toBe(401);
  expect(await service.stop()).toEqual({ code: 0, signal: null });

  const traceIds = (requestId: string) =>
    service
      .logs()
      .filter((line) => line['requestId'] === requestId)
      .map((line) => line['trace_id']);
  expect(traceIds('traced')).toEqual([TRACE_ID, TRACE_ID]);
  expect(traceIds('untraced')).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), expect.any(String)]);
  expect(traceIds('untraced')).not.toContain(TRACE_ID);
  expect(new Set(received.map(({ path, type }) => `${path} ${type}`))).toEqual(
    new Set(['/v1/traces application/x-protobuf']),
  );
  const bodies = Buffer.concat(received.map(({ body }) => body));
  expect(bodies.includes(Buffer.from(TRACE_ID, 'hex'))).toBe(true);
  expect(bodies.includes('authservice.session.v1.SessionService/Login')).toBe(true);
  for (const secret of ['alice', 'wrong']) expect(bodies.includes(secret)).toBe(false);
});

it('serves and stops in time if the collector never responds', async () => {
  const { service, addresses } = await startTraced(await listen(() => {}));
  const rest = restClient(addresses.http);
  for (let round = 0; round < 5; round += 1) {
    const responses = await Promise.all(Array.from({ length: 30 }, () => rest.send('GET', '/api/v1/auth/me')));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([401]));
  }
  expect(await service.stop()).toEqual({ code: 0, signal: null });
  expect(service.logs().filter(({ msg }) => msg.startsWith('spans are lost'))).toHaveLength(1);
  // The process stopped by itself, not by the limit of app.shutdown-grace.
  expect(service.logs().at(-1)?.msg).toBe('stopped');
});
