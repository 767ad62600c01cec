// app.business.enabled=false: a service without the shop.
import { globSync } from 'node:fs';
import { credentials, Client as GrpcClient, status } from '@grpc/grpc-js';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProductServiceService } from '../../../proto/gen/authservice/business/v1/product_service.ts';
import { RoleServiceService } from '../../../proto/gen/authservice/tenancy/v1/role_service.ts';
import { ownDescriptors } from '../../../src/platform/rpc/contract/descriptors.ts';
import { grpcChannel } from '../../../src/platform/rpc/grpc/client.ts';
import { serveGrpc, type GrpcServer } from '../../../src/platform/rpc/grpc/server.ts';
import { seedAccount } from '../../support/accounts.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { addGateway, type AddedGateway } from '../../support/gateways.ts';
import { bearer } from '../../support/rest-client.ts';
import { authorizedBy, seedSession, type SeededSession } from '../../support/sessions.ts';

const OFF = { 'app.business.enabled': 'false' };
const SHOP = 'authservice.business.v1';
/** Names of its permissions. */
const OF_SHOP = /ORDER|PRODUCT|CUSTOMER|DASHBOARD|REFERENCE_DATA|FILES/;
const AREAS = /^\/api\/v1\/(?:products|orders|customers|dashboard|reference-data|staging|files)/;
const PATHS = [
  ['GET', '/api/v1/products'],
  ['POST', '/api/v1/orders'],
  ['GET', '/shop/api/v1/customers/x'],
  ['PUT', '/api/v1/files/staging/2026-01-01/x'],
  ['GET', '/api/v1/products/x/images/0'],
  ['DELETE', '/api/v1/dashboard/stats'],
] as const;

interface VerifyDocument {
  readonly paths: {
    readonly '/api/v1/auth/verify': {
      readonly get: {
        readonly parameters: readonly [{ schema: { items: { enum: string[] } }; example: string[] }];
      };
    };
  };
}

describe.each(ON_SQLITE)('without the shop on $engine over $transport', (options) => {
  let deployment: Deployment;
  let session: SeededSession;

  beforeAll(async () => {
    deployment = await deploy({ ...options, settings: OFF });
    const account = await seedAccount(deployment.database, { tenantId: 'acme', roles: ['ADMIN'] });
    session = await seedSession(deployment, account);
  });
  afterAll(() => deployment?.close());

  const send = (method: string, path: string, url = deployment.url) =>
    fetch(url + path, { method, headers: bearer(session.accessToken) });

  it.each(PATHS)('returns 404 for %s %s, as for any unknown path', async (method, path) => {
    const response = await send(method, path);
    const unknown = await send(method, '/api/v1/nowhere');
    const [body, expected] = (await Promise.all([response.json(), unknown.json()])) as Record<string, unknown>[];
    expect(response.status).toBe(404);
    expect(Object.keys(body!)).toEqual(Object.keys(expected!));
    expect(body).toMatchObject({ errorCode: 'not-found' });
  });

  it('serves the rest: the account, its sessions, users', async () => {
    for (const path of ['/api/v1/auth/me', '/api/v1/account/sessions', '/api/v1/users'])
      expect((await send('GET', path)).status).toBe(200);
  });

  const post = (path: string, body: object) =>
    fetch(deployment.url + path, {
      method: 'POST',
      headers: { ...bearer(session.accessToken), 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  it('accounts hold roles without permissions of the shop', async () => {
    const created = await post('/api/v1/users', {
      username: 'flora@acme.test',
      password: 'long-enough-1',
      name: 'Flora',
      roles: ['FLORIST', 'MANAGER'],
    });
    expect(created.status).toBe(201);
    expect(((await created.json()) as { roles: string[] }).roles).toContain('ROLE_FLORIST');
    const roles = (await (await send('GET', '/api/v1/roles')).json()) as { name: string; permissions: string[] }[];
    expect(roles.find(({ name }) => name === 'FLORIST')).toMatchObject({ permissions: [], effectivePermissions: [] });
    expect(roles.flatMap(({ permissions }) => permissions).filter((name) => OF_SHOP.test(name))).toEqual([]);
  });

  it('permissions of the shop do not exist', async () => {
    const statuses = async (...names: string[]) =>
      Promise.all(names.map(async (name) => (await send('GET', `/api/v1/auth/verify?permission=${name}`)).status));
    expect(await statuses('READ_ORDERS', 'USE_FILES', 'FLY')).toEqual([400, 400, 400]);
    expect(await statuses('MANAGE_USERS', 'MANAGE_TENANTS')).toEqual([200, 403]);
    const refused = await post('/api/v1/roles', { name: 'CLERK', permissions: ['READ_AUDIT', 'READ_ORDERS'] });
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      {
        violations: [
          { message: expect.stringContaining('must be a built-in permission'), props: ['permissions', '1'] },
        ],
      },
    ]);
    const document = (await (await fetch(`${deployment.url}/openapi.json`)).json()) as VerifyDocument;
    const [{ schema, example }] = document.paths['/api/v1/auth/verify'].get.parameters;
    expect((await statuses(...schema.items.enum)).filter((status) => status === 400)).toEqual([]);
    expect(schema.items.enum).toEqual(expect.arrayContaining(example));
    expect(schema.items.enum.filter((name) => OF_SHOP.test(name))).toEqual([]);
  });

  it('a stored role keeps permissions of the shop, and gives them again when the shop is served', async () => {
    const { database, databaseUrl, clock } = deployment;
    const withShop = await deploy({ ...options, databaseUrl, clock, settings: { 'app.business.enabled': 'true' } });
    try {
      const root = await seedAccount(database, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
      const as = authorizedBy(await seedSession(withShop, root));
      const role = { name: 'PICKER', permissions: ['READ_AUDIT', 'READ_ORDERS'], inherits: [], tenantId: 'acme' };
      await withShop.client(RoleServiceService).createRole(role, as);
      const holder = await seedAccount(database, { tenantId: 'acme', roles: ['PICKER'] });
      const headers = bearer((await seedSession(withShop, holder)).accessToken);
      const held = async ({ url }: Deployment) =>
        Promise.all(
          role.permissions.map(
            async (name) => (await fetch(`${url}/api/v1/auth/verify?permission=${name}`, { headers })).status,
          ),
        );
      expect(await held(withShop)).toEqual([200, 200]);
      expect(await held(deployment)).toEqual([200, 400]);
      expect(await (await send('GET', '/api/v1/roles/PICKER')).json()).toMatchObject({
        permissions: ['READ_AUDIT', 'READ_ORDERS'],
        effectivePermissions: ['READ_AUDIT'],
      });
      expect(await held(withShop)).toEqual([200, 200]);
    } finally {
      await withShop.close();
    }
  });

  it('describes nothing of the shop in OpenAPI', async () => {
    const response = await fetch(`${deployment.url}/openapi.json`);
    const document = (await response.json()) as { paths: object; tags: { name: string }[]; info: object };
    expect(Object.keys(document.paths).filter((path) => AREAS.test(path))).toEqual([]);
    expect(JSON.stringify(document)).not.toContain(SHOP);
    expect(document.tags.map(({ name }) => name)).not.toContain('Products');
    expect(document.tags.map(({ name }) => name)).toContain('Users');
    expect(JSON.stringify(document.info)).not.toContain('business');
  });

  it('has no cleanup of the shop', async () => {
    const { tables } = await deployment.core.cleanup.stats();
    expect(tables.map(({ table }) => table)).not.toEqual(expect.arrayContaining(['files']));
    expect(tables.length).toBeGreaterThan(3);
  });

  it('serves no RPC of the shop', () => {
    const served = deployment.core.host.methods.map(({ definition }) => definition.path);
    expect(served.filter((path) => path.includes(SHOP))).toEqual([]);
    expect(served).toContain('/authservice.session.v1.SessionService/Login');
  });
});

describe('over gRPC', () => {
  let deployment: Deployment;
  let server: GrpcServer;

  beforeAll(async () => {
    deployment = await deploy({ engine: 'sqlite', transport: 'local', settings: OFF });
    const listen = { host: '127.0.0.1', port: 0, trustedGateways: [], log: pino({ level: 'silent' }) };
    server = await serveGrpc(deployment.core.host, { ...listen, reflection: true });
  });
  afterAll(async () => {
    await server?.close(0);
    await deployment?.close();
  });

  it('returns UNIMPLEMENTED for every RPC of the shop', async () => {
    const client = new GrpcClient(server.address, credentials.createInsecure());
    const same = (bytes: Buffer) => bytes;
    const rpcs = ownDescriptors().methods.filter(({ parent }) => parent.file.proto.package === SHOP);
    expect(rpcs.length).toBeGreaterThan(20);
    for (const { parent, name } of rpcs) {
      const code = await new Promise((resolve) =>
        client.makeUnaryRequest(`/${parent.typeName}/${name}`, same, same, Buffer.alloc(0), (error) =>
          resolve(error?.code),
        ),
      );
      expect(code).toBe(status.UNIMPLEMENTED);
    }
    client.close();
  });

  it.each(['file_by_filename', 'file_containing_symbol'])('reflection knows no file of the shop by %s', async (by) => {
    const names =
      by === 'file_by_filename'
        ? globSync('authservice/business/**/*.proto', { cwd: 'proto' })
        : [`${SHOP}.ProductService`, `${SHOP}.Product`, `${SHOP}.Precondition`];
    for (const name of names) {
      const field = by === 'file_by_filename' ? 0x1a : 0x22;
      const request = Buffer.concat([Buffer.from([field, name.length]), Buffer.from(name)]);
      expect(String(await ask(server, request))).toMatch(/not found/);
    }
  });
});

/** Asks the reflection of a server; resolves with the response's bytes. */
async function ask({ address }: GrpcServer, request: Buffer): Promise<Buffer> {
  const client = new GrpcClient(address, credentials.createInsecure());
  const same = (bytes: Buffer) => bytes;
  const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
  const stream = client.makeBidiStreamRequest(path, same, same);
  const responses: Buffer[] = [];
  // The request is part of the response.
  stream.on('data', (bytes: Buffer) => responses.push(bytes.subarray(bytes.indexOf(request) + request.length)));
  stream.on('error', () => {}).end(request);
  await new Promise((resolve) => stream.once('status', resolve));
  client.close();
  return Buffer.concat(responses);
}

describe('a gateway and a core with different settings', () => {
  let deployment: Deployment;
  let gateway: AddedGateway;

  beforeAll(async () => {
    deployment = await deploy({ engine: 'sqlite', transport: 'grpc', settings: OFF });
    gateway = await addGateway(deployment, { 'app.business.enabled': 'true' });
  });
  afterAll(async () => {
    await gateway?.close();
    await deployment?.close();
  });

  it('the gateway returns 404 if the core lacks the shop', async () => {
    const account = await seedAccount(deployment.database, { tenantId: 'acme', roles: ['ADMIN'] });
    const headers = bearer((await seedSession(deployment, account)).accessToken);
    for (const [method, path] of PATHS.slice(0, 5)) {
      const response = await fetch(gateway.url + path, { method, headers });
      expect([method, path, response.status]).toEqual([method, path, 404]);
    }
    expect((await fetch(`${gateway.url}/api/v1/auth/me`, { headers })).status).toBe(200);
  });

  it('a client gets NOT_FOUND with the cause', async () => {
    const server = await serveGrpc(deployment.core.host, {
      host: '127.0.0.1',
      port: 0,
      trustedGateways: [],
      log: pino({ level: 'silent' }),
    });
    const channel = grpcChannel({ target: server.address });
    const called = channel.client(ProductServiceService).getProduct({ productId: 'x' });
    await expect(called).rejects.toMatchObject({
      status: { reason: 'NOT_FOUND' },
      cause: { message: /^UNIMPLEMENTED: / },
    });
    channel.close();
    await server.close(0);
  });
});
