// Hostile requests to Envoy with its JWT filter.
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { rawRequest, sendRaw } from '../../support/raw-http.ts';
import { endProcesses } from '../../support/service-process.ts';
import { ADMIN, MANAGER, ROOT, startAuthService } from '../frameworks/auth-service.ts';
import { startEnvoy } from '../frameworks/envoy.ts';
import { GOOD_TARGETS, HOSTILE_TARGETS } from './hostile-requests.ts';
import { readingsOutsideOrders } from './readings.ts';

let envoy: Awaited<ReturnType<typeof startEnvoy>>;
let manager: string;
let admin: string;
let root: string;

beforeAll(async () => {
  const auth = await startAuthService('/auth');
  envoy = await startEnvoy(auth.issuer);
  [manager, admin, root] = await Promise.all([auth.login(MANAGER), auth.login(ADMIN), auth.login(ROOT)]);
  // Envoy fetches the key set when it starts.
  await vi.waitUntil(async () => (await get('/orders', manager)).status === 200, { timeout: 10_000, interval: 100 });
});
afterAll(async () => {
  await envoy?.stop();
  await endProcesses();
});

const get = (target: string, token: string, lines: readonly string[] = ['Connection: close']) =>
  sendRaw(envoy.url, rawRequest(`GET ${target} HTTP/1.1`, [`Authorization: Bearer ${token}`, ...lines]));

it.each(HOSTILE_TARGETS)('refuses %j to a user without the role', async (target) => {
  const { status, body } = await get(target, manager);
  if (status === 200) expect(readingsOutsideOrders(body.url)).toEqual([]);
  else expect([400, 403]).toContain(status);
});

it.each(GOOD_TARGETS)('forwards %j unchanged', async (target) => {
  const { status, body } = await get(target, manager);
  expect([status, body.url]).toEqual([200, target]);
});

it('forwards other paths to a user with the role', async () => {
  for (const target of ['/admin', '/admin/users', '/x?y=/../z;']) {
    const { status, body } = await get(target, admin);
    expect([status, body.url]).toEqual([200, target]);
  }
});

it('passes on no header that the client has forged or has named in Connection', async () => {
  const { status, text, body } = await get('/orders', manager, [
    'Connection: close, X-Auth-Tenant, X-Auth-Subject',
    'X-Auth-Subject: forged',
    'X-Auth-Tenant: forged',
    'X_Auth_Tenant: forged',
    'X.Auth.Tenant: forged',
    'X-Auth.Tenant: forged',
    'X-Original-URL: /forged',
  ]);
  expect(status).toBe(200);
  expect(text).not.toContain('forged');
  expect(body.headers).toMatchObject({ 'x-auth-subject': expect.any(String), 'x-auth-tenant': 'acme' });
});

it('refuses an account without a tenant, because the service belongs to one', async () => {
  expect((await get('/orders', root)).status).toBe(403);
});
