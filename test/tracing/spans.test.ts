// The spans of a request, from REST through RPC to SQL, on each engine and over each transport.
import { SpanKind } from '@opentelemetry/api';
import { AlwaysOffSampler } from '@opentelemetry/sdk-trace';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectClients } from '../../gateway/clients.ts';
import { traceClients } from '../../gateway/trace-clients.ts';
import { RefreshRequest } from '../../proto/gen/authservice/session/v1/session_service.ts';
import { createMessage } from '../../src/platform/rpc/message.ts';
import type { Account } from '../../src/auth/access/account.ts';
import { PASSWORD, seedAccount } from '../support/accounts.ts';
import { deploy, DIAGONAL, type Deployment } from '../support/deployment.ts';
import { bearer, restClient, type RestClient } from '../support/rest-client.ts';
import { addSecret } from '../rest/m2m/clients.ts';
import { seedSession, type SeededSession } from '../support/sessions.ts';
import { recordSpans } from '../support/spans.ts';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT_ID = '00f067aa0ba902b7';
/** Only the context of a trusted proxy is continued. */
const FROM_PROXY = { 'app.http.trusted-proxies': '127.0.0.1' };
const TRACED = { traceparent: `00-${TRACE_ID}-${PARENT_ID}-01`, tracestate: 'vendor=value' };

describe.each(DIAGONAL)('$engine, $transport', ({ engine, transport }) => {
  const spans = recordSpans();
  let deployment: Deployment;
  let rest: RestClient;
  let account: Account;
  let session: SeededSession;

  beforeAll(async () => {
    deployment = await deploy({ engine, transport, settings: FROM_PROXY, tracer: spans.tracer });
    rest = restClient(deployment.url);
    account = await seedAccount(deployment.database, { username: 'alice@acme.test', roles: ['ADMIN'] });
    session = await seedSession(deployment, account);
  });
  afterAll(() => deployment?.close());
  beforeEach(() => spans.reset());

  it('records a login down to the commit', async () => {
    const { status } = await rest.login({ username: 'alice@acme.test', password: PASSWORD }, TRACED);
    expect(status).toBe(200);
    const tree = spans.tree(TRACE_ID);
    expect(tree.slice(0, 2)).toEqual([
      'POST /api/v1/auth/login (SERVER)',
      '  authservice.session.v1.SessionService/Login (SERVER)',
    ]);
    expect(tree).toEqual(expect.arrayContaining(['    wait for password hash', '    verify password']));
    expect(tree.filter((name) => /^ +SELECT accounts$/.test(name))).not.toEqual([]);
    expect(tree.filter((name) => /^ +INSERT session_families$/.test(name))).toHaveLength(1);
  });

  it('records the group commit of a write', async () => {
    const client = await seedAccount(deployment.database, { interactive: false });
    const clientSecret = await addSecret(deployment.database, client);
    const body = { grant_type: 'client_credentials', client_id: client.username, client_secret: clientSecret };
    expect((await rest.postJson('/api/v1/auth/token', body, TRACED)).status).toBe(200);
    const groups = spans.all().filter(({ name }) => name === 'group commit');
    expect(groups.map((span) => span.spanContext().traceId)).toEqual([TRACE_ID]);
    expect(spans.tree(TRACE_ID).slice(-2)).toEqual(['    INSERT audit_records', '      group commit']);
  });

  it('continues the trace of a trusted proxy and keeps its state', async () => {
    await rest.send('GET', '/api/v1/auth/me', { headers: { ...bearer(session.accessToken), ...TRACED } });
    const [root] = spans.all().filter(({ name }) => name === 'GET /api/v1/auth/me');
    expect(root?.parentSpanContext?.spanId).toBe(PARENT_ID);
    for (const span of spans.all()) {
      expect(span.spanContext().traceId).toBe(TRACE_ID);
      expect(span.spanContext().traceState?.serialize()).toBe('vendor=value');
    }
  });

  it('begins a trace of its own without a valid traceparent', async () => {
    for (const traceparent of ['', 'nonsense', `00-${'0'.repeat(32)}-${PARENT_ID}-01`]) {
      await rest.send('GET', '/api/v1/auth/me', { headers: { ...bearer(session.accessToken), traceparent } });
    }
    const roots = spans.all().filter(({ name }) => name === 'GET /api/v1/auth/me');
    expect(roots).toHaveLength(3);
    expect(new Set(roots.map((span) => span.spanContext().traceId)).size).toBe(3);
    expect(roots.map(({ parentSpanContext }) => parentSpanContext)).toEqual([undefined, undefined, undefined]);
  });

  it('records no health checks', async () => {
    for (const path of ['/health/live', '/health/ready']) await rest.send('GET', path, { headers: TRACED });
    expect(spans.all()).toEqual([]);
  });

  it('records an unknown path without its text', async () => {
    await rest.send('GET', '/api/v1/secret-in-a-path?token=secret-in-a-query', { headers: TRACED });
    const [span] = spans.all();
    expect(span?.name).toBe('GET');
    expect(span?.attributes['http.response.status_code']).toBe(404);
  });

  it('records the reason of a rejection, which is not an error', async () => {
    await rest.login({ username: 'alice@acme.test', password: 'wrong' }, TRACED);
    const [call] = spans.all().filter(({ name }) => name.endsWith('/Login'));
    expect(call?.attributes['rpc.reason']).toBe('BAD_CREDENTIALS');
    expect(call?.status.code).toBe(0);
  });

  it('contains no secret, no e-mail address and no SQL value', async () => {
    const cookie = session.cookie;
    await rest.login({ username: 'alice@acme.test', password: PASSWORD }, TRACED);
    await rest.refresh(cookie, TRACED);
    await rest.send('GET', '/api/v1/users?q=alice@acme.test', {
      headers: { ...bearer(session.accessToken), ...TRACED },
    });
    const text = JSON.stringify(
      spans.all().map(({ name, attributes, status, events, links }) => ({ name, attributes, status, events, links })),
    );
    expect(spans.all().length).toBeGreaterThan(10);
    for (const secret of ['alice', PASSWORD, cookie.split('=')[1]!, session.accessToken, session.id, '?']) {
      expect(text).not.toContain(secret);
    }
  });
});

it('passes on the decision of a trusted proxy not to record', async () => {
  const spans = recordSpans();
  const deployment = await deploy({
    engine: 'sqlite',
    transport: 'grpc',
    settings: FROM_PROXY,
    tracer: spans.tracer,
  });
  const rest = restClient(deployment.url);
  await rest.send('GET', '/api/v1/auth/me', { headers: { traceparent: `00-${TRACE_ID}-${PARENT_ID}-00` } });
  expect(spans.all()).toEqual([]);
  await deployment.close();
});

it('records no trace that the sampler excludes', async () => {
  const spans = recordSpans(new AlwaysOffSampler());
  const deployment = await deploy({ engine: 'sqlite', transport: 'local', tracer: spans.tracer });
  const rest = restClient(deployment.url);
  expect((await rest.send('GET', '/api/v1/auth/me')).status).toBe(401);
  expect(spans.all()).toEqual([]);
  await deployment.close();
});

it('records the calls of a gateway to a remote core from both sides', async () => {
  const spans = recordSpans();
  const deployment = await deploy({ engine: 'sqlite', transport: 'grpc', tracer: spans.tracer });
  const { session } = connectClients(traceClients(deployment.client, spans.tracer));
  const span = spans.tracer.start('caller');
  await expect(session.refresh(createMessage(RefreshRequest, {}), { trace: span.headers })).rejects.toThrow();
  await expect(session.refresh(createMessage(RefreshRequest, {}))).rejects.toThrow();
  span.end();
  const method = 'authservice.session.v1.SessionService/Refresh';
  expect(spans.tree(span.traceId)).toEqual(['caller', `  ${method} (CLIENT)`, `    ${method} (SERVER)`]);
  const [client] = spans.all().filter(({ kind }) => kind === SpanKind.CLIENT);
  expect(client?.attributes['rpc.reason']).toBe('VALIDATION_ERROR');
  await deployment.close();
});
