// The module of docs/extending.md, word by word, in a folder outside the project: started and used as its reader would.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seedAccount } from '../support/accounts.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';
import { FILES, MODULE, PROTO, rpcCaller, writeModule } from '../support/invoices-module.ts';
import { bearer, restClient, type RestClient } from '../support/rest-client.ts';
import { emptyFolder, endProcesses, PROJECT, SHOP_SETTINGS, startProgram } from '../support/service-process.ts';

afterAll(endProcesses);

it('the page has both files of the module, in about 120 lines of code', () => {
  expect(FILES.map(({ path }) => path)).toEqual([PROTO, MODULE]);
  const lines = FILES.flatMap(({ text }) => text.split('\n')).filter((line) => !/^\s*(?:\/\/.*)?$/.test(line));
  expect(lines.length).toBeLessThan(135);
});

describe.each(ENGINES)('the module on %s', (engine) => {
  let test: TestDatabase;
  let http: string;
  let rpc: string;
  let management: string;
  let rest: RestClient;
  let owner: Record<string, string>;
  let stranger: Record<string, string>;
  let seller: Record<string, string>;
  let invoice: { readonly id: string };
  let settings: Record<string, string>;

  beforeAll(async () => {
    test = await createTestDatabase(engine);
    settings = { ...SHOP_SETTINGS, 'app.database.url': test.url, 'app.modules': writeModule() };
    ({ http, rpc, management } = await startProgram('gateway', { settings }).ready());
    rest = restClient(http);
    const login = async (tenantId: string, role: string) => {
      const { username } = await seedAccount(test.database, { tenantId, roles: [role] });
      return bearer((await rest.open(username)).accessToken);
    };
    [owner, stranger, seller] = [
      await login('acme', 'ADMIN'),
      await login('globex', 'ADMIN'),
      await login('acme', 'SALES'),
    ];
    const created = await rest.postJson('/api/v1/invoices', { customer: 'Ann', total: 19.9 }, owner);
    expect(created).toMatchObject({ status: 201, body: { customer: 'Ann', total: 19.9 } });
    invoice = created.body as typeof invoice;
  }, 120_000);
  afterAll(async () => {
    await endProcesses();
    await test?.drop();
  });

  const get = (headers: Record<string, string>, url = http) =>
    restClient(url).send('GET', `/api/v1/invoices/${invoice.id}`, { headers });

  it('serves its records over REST, to their tenant only', async () => {
    expect(await get(owner)).toMatchObject({ status: 200, body: { ...invoice, total: 19.9 } });
    expect((await get(stranger)).status).toBe(404);
    expect((await get(seller)).status).toBe(403);
    expect((await get({})).status).toBe(401);
  });

  it('checks requests by the rules of its fields', async () => {
    const refused = await rest.postJson('/api/v1/invoices', { customer: 'x'.repeat(101), total: 1 }, owner);
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({ violations: [{ props: ['customer'], format: 'maxLength' }] });
    expect((await rest.send('GET', '/api/v1/invoices/no-id', { headers: owner })).status).toBe(404);
  });

  it('serves its records over gRPC', async () => {
    const call = rpcCaller(rpc);
    expect(await call('GetInvoice', { invoiceId: invoice.id }, owner)).toMatchObject({ invoice: { total: 1990 } });
    await expect(call('GetInvoice', { invoiceId: invoice.id }, stranger)).rejects.toMatchObject({
      code: status.NOT_FOUND,
    });
    await expect(call('GetInvoice', { invoiceId: invoice.id }, seller)).rejects.toMatchObject({
      code: status.PERMISSION_DENIED,
    });
    await expect(call('CreateInvoice', { customer: '', total: 1 }, owner)).rejects.toMatchObject({
      code: status.INVALID_ARGUMENT,
    });
  });

  it('describes its routes, counts its metric and has its cleanup', async () => {
    const document = JSON.stringify((await rest.send('GET', '/openapi.json')).body);
    for (const text of ['/api/v1/invoices/{id}', 'Name of the customer.', 'Get an invoice'])
      expect(document).toContain(text);
    const metrics = await (await fetch(`${management}/metrics`)).text();
    expect(metrics.split('\n')).toEqual(
      expect.arrayContaining(['invoices_created_total 1', 'cleanup_backlog_rows{table="invoices"} 0']),
    );
  });

  it('works with gateway and core apart', async () => {
    const core = await startProgram('core', { settings }).ready();
    const apart = { ...settings, 'app.gateway.core': `dns:///${core.rpc}` };
    const gateway = await startProgram('gateway', { settings: apart }).ready();
    expect((await get(owner, gateway.http)).status).toBe(200);
    expect((await get(stranger, gateway.http)).status).toBe(404);
    // A gateway that has the module, with a core that does not.
    const without = await startProgram('core', { settings: { ...settings, 'app.modules': 'none' } }).ready();
    const other = { ...settings, 'app.gateway.core': `dns:///${without.rpc}` };
    expect((await get(owner, (await startProgram('gateway', { settings: other }).ready()).http)).status).toBe(404);
  }, 120_000);

  it('has its rows in the export and in the erasure of a tenant', async () => {
    const folder = emptyFolder();
    const cli = (...args: string[]) =>
      execFileSync(
        process.execPath,
        [
          join(PROJECT, 'cli/main.ts'),
          ...args,
          ...Object.entries(settings).map(([name, value]) => `--${name}=${value}`),
        ],
        { cwd: folder, encoding: 'utf8', stdio: 'pipe' },
      );
    const exported = (tenant: string) => {
      cli('tenant', 'export', tenant, join(folder, tenant));
      return readFileSync(join(folder, tenant), 'utf8');
    };
    expect(exported('acme')).toContain('"table":"invoices"');
    expect(exported('globex')).not.toContain('"table":"invoices"');
    cli('tenant', 'suspend', 'acme', '--local', '--yes');
    cli('tenant', 'erase', 'acme', '--confirm', 'acme');
    expect(await test.database.query('SELECT id FROM invoices')).toEqual([]);
  }, 120_000);
});
