// envoy.service.auth.v3.Authorization/Check: external authorization for Envoy.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HeaderValueOption_HeaderAppendAction as AppendAction } from '../../proto/gen/envoy/config/core/v3/base.ts';
import type { HeaderValueOption } from '../../proto/gen/envoy/config/core/v3/base.ts';
import {
  AuthorizationService as Authorization,
  type CheckResponse,
} from '../../proto/gen/envoy/service/auth/v3/external_auth.ts';
import { generateApiKey } from '../../src/auth/api-key/key-format.ts';
import { grpcChannel } from '../../src/platform/rpc/grpc/client.ts';
import { serveGrpc } from '../../src/platform/rpc/grpc/server.ts';
import type { Client } from '../../src/platform/rpc/types.ts';
import { seedClient } from '../rest/m2m/clients.ts';
import { deploy, DIAGONAL } from '../support/deployment.ts';
import { leaksOf } from '../support/leaks.ts';
import { openWorld, type World } from '../support/world.ts';
import { makeCertificates, writeCertificates } from '../support/certificates.ts';
import { IDENTITY_HEADER_NAMES as NAMES } from '../support/identity-headers.ts';
import { outcomeOf } from '../support/rpc-outcomes.ts';

type Headers = Readonly<Record<string, string>>;
type AuthorizationClient = Client<typeof Authorization>;

const PATH = '/invoices/1';
const SETTINGS = { 'app.security.api-key.enabled': 'true' };
const log = pino({ level: 'silent' });

const requestOf = (headers: Headers, contextExtensions: Headers = {}, path = `${PATH}?page=2`) => ({
  attributes: { request: { http: { headers, path } }, contextExtensions },
});

/** As Envoy sends it with encode_raw_headers. */
const rawRequestOf = (headers: readonly (readonly [string, string])[]) => ({
  attributes: {
    request: {
      http: {
        headers: {},
        path: PATH,
        headerMap: { headers: headers.map(([key, text]) => ({ key, value: '', rawValue: Buffer.from(text) })) },
      },
    },
    contextExtensions: {},
  },
});

const headersOf = (options: readonly HeaderValueOption[]): Record<string, string> => {
  // Envoy appends to a header that the client has sent, unless it is told otherwise.
  for (const option of options) expect(option.appendAction).toBe(AppendAction.OVERWRITE_IF_EXISTS_OR_ADD);
  return Object.fromEntries(options.map(({ header }) => [header!.key, header!.value]));
};

function allowed({ status, httpResponse }: CheckResponse): { set: Record<string, string>; removed: readonly string[] } {
  if (httpResponse?.$case !== 'okResponse') throw new Error(`refused: ${JSON.stringify(httpResponse)}`);
  expect(status?.code).toBe(0);
  return { set: headersOf(httpResponse.value.headers), removed: httpResponse.value.headersToRemove };
}

function denied({ status, httpResponse }: CheckResponse) {
  if (httpResponse?.$case !== 'deniedResponse') throw new Error(`allowed: ${JSON.stringify(httpResponse)}`);
  const { value } = httpResponse;
  return {
    code: status?.code,
    status: value.status?.code,
    headers: headersOf(value.headers),
    body: JSON.parse(value.body),
  };
}

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let world: World;
  let envoy: AuthorizationClient;
  const check = (headers: Headers, extensions?: Headers) => envoy.check(requestOf(headers, extensions));

  beforeAll(async () => {
    world = await openWorld({ ...kind, settings: SETTINGS });
    envoy = world.deployment.client(Authorization);
  });
  afterAll(() => world?.close());

  describe('OK', () => {
    it('overwrites identity headers that the client has sent', async () => {
      const { account, session } = await world.actor({ name: 'Zoë', email: 'zoe@acme.test', roles: ['SALES'] });
      const forged = { 'remote-user': 'root', 'x-auth-tenant': 'globex' };
      const { set, removed } = allowed(await check({ ...bearer(session.accessToken), ...forged }));
      expect(set).toEqual({
        'remote-user': account.username,
        'remote-name': 'Zo%C3%AB',
        'remote-email': 'zoe@acme.test',
        'remote-groups': 'SALES',
        'x-auth-subject': account.id,
        'x-auth-tenant': 'acme',
        'x-auth-time': `${Math.floor(world.deployment.clock.now() / 1000)}`,
        'x-auth-methods': 'pwd',
      });
      expect(removed).toEqual([]);
    });

    it('sets every identity header of an account without tenant and e-mail address', async () => {
      const forged = { 'remote-email': 'x@y.test', 'x-auth-tenant': 'globex' };
      const { set, removed } = allowed(await check({ ...bearer(world.root.session.accessToken), ...forged }));
      expect(Object.keys(set)).toEqual(NAMES);
      expect(set).toMatchObject({ 'remote-email': '-', 'x-auth-tenant': '-' });
      expect(removed).toEqual([]);
    });

    it('removes other spellings of identity headers that servers read as hyphens', async () => {
      const aliases = { Remote_User: 'root', x_auth_tenant: 'globex', 'x-auth.tenant': 'globex' };
      const { removed } = allowed(
        await check({ ...bearer(world.admin.session.accessToken), ...aliases, remote_host: 'kept' }),
      );
      expect(removed.toSorted()).toEqual(['remote_user', 'x-auth.tenant', 'x_auth_tenant']);
    });

    it('returns the headers of an API key, and for headers sent as bytes', async () => {
      const { account } = await seedClient(world.deployment.database, { roles: ['SALES'] });
      const issue = { serviceAccountId: account.id, label: 'Key' };
      const { apiKey } = await world.clients.apiKey.issueApiKey(issue, world.root.as);
      expect(allowed(await check({ 'x-api-key': apiKey })).set).toMatchObject({ 'remote-user': account.username });
      const { set } = allowed(await envoy.check(rawRequestOf([['X-Api-Key', apiKey]])));
      expect(set).toMatchObject({ 'x-auth-subject': account.id });
    });
  });

  describe('Denied', () => {
    it.each<readonly [string, Headers]>([
      ['no credential', {}],
      ['a cookie', { cookie: 'MY_SHOP_REFRESH=x' }],
      ['another scheme', { authorization: 'Basic YTpi' }],
    ])('returns 401 for %s, as a problem document', async (_what, headers) => {
      const response = denied(await check(headers));
      expect(response).toMatchObject({ code: 16, status: 401 });
      expect(response.body).toMatchObject({
        type: 'urn:service:error:unauthorized',
        status: 401,
        detail: 'Unauthorized - Missing or invalid token',
        errorCode: 'unauthorized',
        instance: PATH,
      });
      expect(response.headers).toMatchObject({
        'content-type': 'application/problem+json',
        'www-authenticate': 'Bearer',
        'cache-control': 'no-store',
        'x-request-id': expect.stringMatching(/./),
      });
    });

    it('returns 401 for two credentials of one kind, in both header formats', async () => {
      const one = `Bearer ${world.admin.session.accessToken}`;
      expect(denied(await check({ authorization: `${one},${one}` })).status).toBe(401);
      const twice = rawRequestOf([
        ['authorization', one],
        ['authorization', one],
      ]);
      expect(denied(await envoy.check(twice)).status).toBe(401);
    });

    it('returns 401 from the first request after the logout on', async () => {
      const { session, as } = await world.actor();
      allowed(await check(bearer(session.accessToken)));
      await world.clients.session.logout({ refreshTokens: [], refreshTokenTransport: 1 }, as);
      const response = denied(await check(bearer(session.accessToken)));
      expect(response.body.detail).toBe('Unauthorized - Invalid or expired token');
      expect(leaksOf(JSON.stringify(response), [session.accessToken])).toEqual([]);
    });

    it('returns 400 for a bearer token beside an API key', async () => {
      const response = denied(await check({ ...bearer(world.admin.session.accessToken), 'x-api-key': 'x' }));
      expect(response).toMatchObject({ code: 3, status: 400, body: { errorCode: 'validation-error' } });
    });

    it("counts an unknown API key for the client's network, not for Envoy's", async () => {
      const source = { address: { address: { $case: 'socketAddress', value: { address: '203.0.113.7' } } } } as const;
      const { attributes } = requestOf({ 'x-api-key': generateApiKey().key });
      expect(denied(await envoy.check({ attributes: { ...attributes, source } })).status).toBe(401);
      world.deployment.clock.advance(120_000);
      await expect
        .poll(
          async () => {
            const query = { page: { page: 1, perPage: 100 }, events: ['refusals.counted'] };
            const { records } = await world.clients.audit.listAuditRecords(query, world.root.as);
            return records.map(({ clientAddress }) => clientAddress);
          },
          { timeout: 10_000 },
        )
        .toContain('203.0.113.7');
    });

    it('returns 401 for a request without attributes', async () => {
      expect(denied(await envoy.check({})).status).toBe(401);
    });
  });

  it.each([
    ['READ_AUDIT', 200],
    ['READ_AUDIT,MANAGE_ROLES', 200],
    ['READ_AUDIT, MANAGE_ROLES', 200],
    ['MANAGE_TENANTS', 403],
    ['READ_AUDIT,MANAGE_TENANTS', 403],
    ['FLY', 400],
    ['', 400],
    ['READ_AUDIT,', 400],
  ])('context extension permission "%s" returns %i', async (permission, status) => {
    const response = await check(bearer(world.admin.session.accessToken), { permission });
    if (status === 200) allowed(response);
    else expect(denied(response)).toMatchObject({ status, body: { status } });
    expect(denied(await check({}, { permission })).status).toBe(401);
  });

  it.each<[extensions: Record<string, string>, status: number, challenge?: string]>([
    [{ 'max-age': '600' }, 200],
    [{ amr: 'mfa' }, 401, ', error_description="Multi-factor authentication is required"'],
    [{ 'max-age': '59' }, 401, ', max_age="59"'],
    [{ 'max-age': '59', permission: 'MANAGE_TENANTS' }, 403],
    [{ 'max-age': '' }, 400],
    [{ 'max-age': '1e2' }, 400],
    [{ 'max-age': '0' }, 400],
    [{ amr: '' }, 400],
    [{ amr: 'pwd' }, 400],
  ])('context extensions %j return %i', async (extensions, status, challenge = '') => {
    const { session } = await world.actor({ roles: ['ADMIN'] });
    world.deployment.clock.advance(60_000);
    const response = await check(bearer(session.accessToken), extensions);
    if (status === 200) return void allowed(response);
    const { headers, ...refusal } = denied(response);
    expect(refusal).toMatchObject({ status, body: { status } });
    if (status !== 401) return;
    expect(refusal.body.errorCode).toBe('fresh-session-required');
    expect(headers['www-authenticate']).toBe(`Bearer error="insufficient_user_authentication"${challenge}`);
  });
});

it.each(['maximal', 'minimal'] as const)('Check returns 503 without the database under %s disclosure', async (mode) => {
  const settings = { 'app.api.error-disclosure.mode': mode };
  const world = await openWorld({ engine: 'sqlite', transport: 'local', settings });
  try {
    await world.deployment.core.close();
    const token = world.admin.session.accessToken;
    const { status, code, body, headers } = denied(
      await world.deployment.client(Authorization).check(requestOf(bearer(token))),
    );
    expect([status, code, body.errorCode]).toEqual([503, 14, 'authentication-service-unavailable']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect('stackTrace' in body).toBe(mode === 'maximal');
  } finally {
    await world.close().catch(() => {});
  }
});

describe('access to Check', () => {
  const folder = mkdtempSync(join(tmpdir(), 'envoy-'));
  const files = writeCertificates(
    folder,
    makeCertificates({
      server: { commonName: 'core', alternative: 'DNS:localhost,IP:127.0.0.1' },
      envoy: { commonName: 'envoy', alternative: 'DNS:envoy' },
      other: { commonName: 'other', alternative: 'DNS:other' },
    }),
  );
  const open = deploy({ engine: 'sqlite', transport: 'local' });
  afterAll(async () => {
    await (await open).close();
    rmSync(folder, { recursive: true });
  });

  async function ask(host: string, tls: 'plain' | 'envoy' | 'other'): Promise<string> {
    const { core } = await open;
    const serverTls = tls === 'plain' ? undefined : { ...files.server, clientCa: files.ca };
    const server = await serveGrpc(core.host, { host, port: 0, trustedGateways: ['envoy'], tls: serverTls, log });
    const clientTls = tls === 'plain' ? undefined : { ...files[tls], ca: files.ca };
    const channel = grpcChannel({ target: server.address, tls: clientTls });
    try {
      return await outcomeOf(channel.client(Authorization).check(requestOf({})));
    } finally {
      channel.close();
      await server.close(0);
    }
  }

  it('rejects a caller over plain TCP', async () => {
    expect(await ask('127.0.0.1', 'plain')).toBe('PERMISSION_DENIED');
  });

  it('requires a listed certificate', async () => {
    expect(await ask('127.0.0.1', 'other')).toBe('PERMISSION_DENIED');
    expect(await ask('127.0.0.1', 'envoy')).toBe('OK');
  });

  it('accepts every caller on the Unix socket', async () => {
    expect(await ask(`unix:${join(folder, 'core.sock')}`, 'plain')).toBe('OK');
  });
});
