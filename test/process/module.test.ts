// The module of docs/extending.md, word by word, in a folder outside the project: started and used as its reader would.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSync, type ServiceDefinition } from '@grpc/proto-loader';
import { seedAccount } from '../support/accounts.ts';
import { createTestDatabase, ENGINES, type TestDatabase } from '../support/databases.ts';
import { bearer, restClient, type RestClient } from '../support/rest-client.ts';
import {
  emptyFolder,
  endProcesses,
  FREE_PORTS,
  PROJECT,
  SHOP_SETTINGS,
  startProgram,
} from '../support/service-process.ts';

const PAGE = readFileSync(join(PROJECT, 'docs/extending.md'), 'utf8');
const FILES = [...PAGE.matchAll(/^Create `(invoices\/[^`]+)`:\n\n```\w+\n(.*?)^```/gms)].map(([, path, text]) => ({
  path: path!,
  text: text!,
}));
const PROTO = 'invoices/protos/invoices/v1/invoice_service.proto';
const MODULE = 'invoices/module.ts';
const SERVICE = 'invoices.v1.InvoiceService';

afterAll(endProcesses);

/** Writes the files of the page, changed by the function, to an empty folder. Returns the path of the module. */
function writeModule(change: (path: string, text: string) => string = (_path, text) => text): string {
  const folder = emptyFolder();
  for (const { path, text } of FILES) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), change(path, text));
  }
  return join(folder, MODULE);
}

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

/** Calls the service as a client that has its proto. */
function rpcCaller(target: string) {
  const folder = join(dirname(writeModule()), 'protos');
  const includeDirs = [folder, join(PROJECT, 'proto'), join(PROJECT, 'third_party')];
  const definitions = loadSync('invoices/v1/invoice_service.proto', { includeDirs, longs: Number });
  const methods = definitions[SERVICE] as ServiceDefinition;
  const client = new Client(target, credentials.createInsecure());
  return (name: string, message: object, headers: Readonly<Record<string, string>>) => {
    const { path, requestSerialize, responseDeserialize } = methods[name]!;
    const metadata = new Metadata();
    for (const [key, value] of Object.entries(headers)) metadata.set(key, value);
    return new Promise<unknown>((resolve, reject) => {
      client.makeUnaryRequest(path, requestSerialize, responseDeserialize, message, metadata, (error, response) =>
        error ? reject(error) : resolve(response),
      );
    });
  };
}

describe('a broken module stops the start', () => {
  const RULE = /^ +option \(authservice\.access\.v1\.rule\) = .*\n/m;
  it.each<[problem: string, file: string, text: RegExp | string, replacement: string, message: RegExp]>([
    [
      'a proto that cannot be parsed',
      PROTO,
      'message Invoice {',
      'message {',
      /illegal type name '\{'.*invoice_service\.proto/,
    ],
    ['a method without an access rule', PROTO, RULE, '', /Missing or invalid access rule .*CreateInvoice/],
    [
      'an unknown option',
      PROTO,
      'access.v1.rule)',
      'access.v1.ruel)',
      /unknown option \(authservice\.access\.v1\.ruel\)/,
    ],
    ['an unknown member of an option', PROTO, 'own_permission:', 'permision:', /CreateInvoice.*permision/],
    [
      'a field without a bound',
      PROTO,
      'max: 100 example',
      'example',
      /No usable bounds .*CreateInvoiceRequest\.customer/,
    ],
    [
      'a route of the service',
      PROTO,
      'post: "/api/v1/invoices"',
      'post: "/api/v1/users"',
      /CreateInvoice.*same route POST \/api\/v1\/users/,
    ],
    ['a route elsewhere', PROTO, '"/api/v1/invoices"', '"/invoices"', /CreateInvoice.*begin with \/api\/v1\//],
    [
      'a package of the service',
      PROTO,
      'package invoices.v1',
      'package authservice.session.v1',
      /belongs to the service/,
    ],
    ['a message of the service', PROTO, /\bInvoice\b/g, 'Order', /invoices\.v1\.Order has the name of/],
    ['a missing handler', MODULE, 'async getInvoice', 'async readInvoice', /has no handler getInvoice/],
    ['an error of create', MODULE, 'let created = 0;', "throw new Error('no licence');", /module\.ts: no licence/],
    ['no default export', MODULE, 'export default invoices;', '', /its default export needs a name/],
    ['a syntax error', MODULE, 'let created = 0;', 'let created = ;', /app\.modules: .*module\.ts/],
  ])('%s', async (_problem, file, text, replacement, message) => {
    const path = writeModule((of, content) => {
      const changed = of === file ? content.replace(text, replacement) : content;
      expect(of === file && changed === content).toBe(false);
      return changed;
    });
    const settings = { ...FREE_PORTS, 'app.env': 'TEST', 'app.database.url': 'sqlite::memory:', 'app.modules': path };
    const service = startProgram('gateway', { settings });
    expect((await service.exited).code).toBe(1);
    const said = service.logs().find(({ level }) => level === 'fatal' || Number(level) === 60)?.msg ?? service.output();
    expect(said).toMatch(message);
  });
});
