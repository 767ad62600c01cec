// The module of docs/extending.md in the deployments of a team: several workers, core and gateway apart, roles, and tools.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seedAccount } from '../support/accounts.ts';
import { createTestDatabase, SERVER_ENGINE, type TestDatabase } from '../support/databases.ts';
import { writeModule } from '../support/invoices-module.ts';
import { bearer, restClient } from '../support/rest-client.ts';
import { endProcesses, SHOP_SETTINGS, startProgram, type Addresses } from '../support/service-process.ts';

const INVOICE = { customer: 'Ann', total: 19.9 };

let test: TestDatabase;
let settings: Record<string, string>;

beforeAll(async () => {
  test = await createTestDatabase(SERVER_ENGINE);
  settings = {
    ...SHOP_SETTINGS,
    'app.database.url': test.url,
    'app.modules': writeModule(),
    'app.workers': '2',
    'app.rpc.reflection': 'true',
  };
});
afterAll(async () => {
  await endProcesses();
  await test?.drop();
});

/** Starts two workers with core and gateway, or two of each. */
const DEPLOYMENTS = {
  'two workers with gateway and core': () => startProgram('gateway', { settings }).ready(),
  'two workers of the gateway, and two of the core': async () => {
    const { rpc } = await startProgram('core', { settings }).ready();
    const gateway = startProgram('gateway', { settings: { ...settings, 'app.gateway.core': `dns:///${rpc}` } });
    return { ...(await gateway.ready()), rpc };
  },
};

describe.each(Object.entries(DEPLOYMENTS))('%s', (_name, start) => {
  let addresses: Addresses;
  let owner: Record<string, string>;
  let id: string;

  const client = () => restClient(addresses.http);
  const login = async (tenantId: string, role: string) => {
    const { username } = await seedAccount(test.database, { tenantId, roles: [role] });
    return bearer((await client().open(username)).accessToken);
  };
  const create = (headers: Record<string, string>) =>
    client().postJson('/api/v1/invoices', INVOICE, { connection: 'close', ...headers });
  const get = (headers: Record<string, string>) =>
    client().send('GET', `/api/v1/invoices/${id}`, { headers: { connection: 'close', ...headers } });

  beforeAll(async () => {
    addresses = await start();
    owner = await login('acme', 'ADMIN');
    ({ id } = (await create(owner)).body);
  }, 60_000);

  it('serve the records of their tenant', async () => {
    const stranger = await login('globex', 'ADMIN');
    const results = await Promise.all(Array.from({ length: 12 }, async () => [await get(owner), await get(stranger)]));
    expect(results.map(([own, other]) => [own!.status, other!.status])).toEqual(results.map(() => [200, 404]));
    expect((await create(owner)).status).toBe(201);
  });

  it('know its permissions in roles, forward authentication, introspection and Authenticate', async () => {
    const role = `READER_${addresses.http.split(':').at(-1)}`;
    const created = await client().postJson('/api/v1/roles', { name: role, permissions: ['invoices:read'] }, owner);
    expect(created.status).toBe(201);
    const reader = await login('acme', role);
    expect([(await get(reader)).status, (await create(reader)).status]).toEqual([200, 403]);

    const verify = async (permission: string) =>
      (await client().send('GET', `/api/v1/auth/verify?permission=${permission}`, { headers: reader })).status;
    expect([await verify('invoices:read'), await verify('invoices:write')]).toEqual([200, 403]);

    const token = reader['authorization']!.replace('Bearer ', '');
    const authenticated = await curl('authservice.identity.v1.IdentityService/Authenticate', { bearerToken: token });
    expect(authenticated).toMatchObject({ principal: { ownPermissions: ['invoices:read'] } });

    const account = { clientId: role, name: 'Reader', roles: [role] };
    const { clientSecret } = (await client().postJson('/api/v1/service-accounts', account, owner)).body;
    const post = (path: string, fields: Record<string, string>) =>
      client().send('POST', `/api/v1/auth/${path}`, {
        body: new URLSearchParams({ client_id: role, client_secret: clientSecret, ...fields }),
      });
    const granted = await post('token', { grant_type: 'client_credentials' });
    const introspected = await post('introspect', { token: granted.body.access_token });
    expect(introspected.body).toMatchObject({ active: true, scope: 'invoices:read' });
    expect((await get(bearer(granted.body.access_token))).status).toBe(200);
  });

  /** Calls an RPC with the real `buf curl`, which reads its messages by reflection. */
  const curl = async (rpc: string, message: object, ...args: readonly string[]): Promise<unknown> => {
    const flags = ['--protocol', 'grpc', '--http2-prior-knowledge', '-d', JSON.stringify(message), ...args];
    const run = promisify(execFile)('node_modules/.bin/buf', ['curl', ...flags, `http://${addresses.rpc}/${rpc}`]);
    return JSON.parse((await run).stdout);
  };

  it('show its RPCs to tools without protos', async () => {
    const header = ['--header', `authorization: ${owner['authorization']}`];
    const read = await curl('invoices.v1.InvoiceService/GetInvoice', { invoiceId: id }, ...header);
    expect(read).toMatchObject({ invoice: { id, customer: 'Ann', total: '1990' } });
    await expect(curl('invoices.v1.InvoiceService/GetInvoice', { invoiceId: id })).rejects.toThrow(/unauthenticated/);
  });
});
