// The recipes of docs/extending.md, word by word: applied to a copy of the project, compiled, run, and used over REST and gRPC.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFileRegistry, create, fromBinary, toBinary, type DescMessage, toJson } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seedAccount } from '../support/accounts.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { applyRecipe, readRecipes } from '../support/recipes.ts';
import { bearer, restClient, type RestClient } from '../support/rest-client.ts';
import { emptyFolder, endProcesses, PROJECT, SHOP_SETTINGS, startProgram } from '../support/service-process.ts';

const PAGE = readFileSync(join(PROJECT, 'docs/extending.md'), 'utf8');
/** Folders and files that the recipes change, generate from or compile. */
const COPIED = [
  'buf.gen.yaml',
  'buf.yaml',
  'cli',
  'docs',
  'gateway',
  'web/build',
  'migrations',
  'package.json',
  'proto',
  'scripts',
  'src',
];
const COPIED_TOO = ['test/proto', 'test/support', 'third_party', 'tsconfig.json'];
const COMPILED = ['cli', 'gateway', 'migrations', 'src', 'test/support/operations.ts'];

afterAll(endProcesses);

describe('a project with all recipes', () => {
  let test: TestDatabase;
  let project: string;
  let http: string;
  let rpc: string;
  let rest: RestClient;
  let headers: Record<string, string>;
  let stranger: Record<string, string>;
  let call: (method: string, message: Record<string, unknown>) => Promise<unknown>;

  beforeAll(async () => {
    project = copyProject();
    for (const recipe of readRecipes(PAGE)) applyRecipe(project, recipe);
    run(project, {}, process.execPath, 'scripts/proto-check.ts', '--generate');
    const config = { extends: './tsconfig.json', include: COMPILED };
    writeFileSync(join(project, 'tsconfig.recipes.json'), JSON.stringify(config));
    run(project, {}, 'tsc', '--noEmit', '-p', 'tsconfig.recipes.json');

    test = await createTestDatabase('sqlite');
    const [account, other] = await Promise.all(
      ['acme', 'globex'].map((tenantId) => seedAccount(test.database, { tenantId, roles: ['ADMIN'] })),
    );
    const settings = { ...SHOP_SETTINGS, 'app.database.url': test.url, 'app.http.no-referrer': 'true' };
    ({ http, rpc } = await startProgram('gateway', { settings, project: `${project}/` }).ready());
    rest = restClient(http);
    headers = bearer((await rest.open(account!.username)).accessToken);
    stranger = bearer((await rest.open(other!.username)).accessToken);
    call = callerOf(project, rpc, headers);
  }, 240_000);
  afterAll(() => test?.drop());

  async function productId(sku: string): Promise<string> {
    const created = await rest.postJson('/api/v1/products', { sku, name: sku, price: 1.5, stock: 3 }, headers);
    expect(created.status).toBe(201);
    return String(created.body.id);
  }

  it('writes and reads the new field over REST and gRPC', async () => {
    const mobilePhone = '+49 170 1';
    const created = await rest.postJson('/api/v1/customers', { name: 'Ann', mobilePhone }, headers);
    expect(created).toMatchObject({ status: 201, body: { mobilePhone } });
    const path = `/api/v1/customers/${created.body.id}`;
    expect((await rest.send('GET', path, { headers })).body).toEqual(created.body);
    const customerId = String(created.body.id);
    expect(await call('CustomerService/GetCustomer', { customerId })).toMatchObject({ customer: { mobilePhone } });

    const added = await call('CustomerService/CreateCustomer', { customer: { name: 'Bob', mobilePhone } });
    expect(added).toMatchObject({ customer: { mobilePhone } });

    expect((await rest.postJson('/api/v1/customers', { name: 'Eve', mobilePhone: 'none' }, headers)).status).toBe(400);
    const change = { headers: { ...headers, 'content-type': 'application/json' }, body: '{"mobilePhone":null}' };
    const cleared = await rest.send('PATCH', path, change);
    expect(cleared.status).toBe(200);
    expect(cleared.body).not.toHaveProperty('mobilePhone');
  });

  it('serves the new route for the records of a tenant', async () => {
    const id = await productId('ROSE');
    const path = `/api/v1/products/${id}/availability`;
    expect(await rest.send('GET', path, { headers })).toMatchObject({ status: 200, body: { available: true } });
    expect((await rest.send('GET', path, { headers: stranger })).status).toBe(404);
    expect(await call('ProductService/GetProductAvailability', { productId: id })).toEqual({ available: true });
  });

  it('writes, reads and lists the new enum value over REST and gRPC', async () => {
    const methods = (await rest.send('GET', '/api/v1/reference-data/payment-methods', { headers })).body;
    expect(methods).toContainEqual({ code: 'VOUCHER', label: 'Voucher' });
    const items = [{ productId: await productId('TULIP'), quantity: 1 }];
    const customer = await rest.postJson('/api/v1/customers', { name: 'Kim' }, headers);
    const order = { customerId: customer.body.id, items, paymentMethod: 'VOUCHER' };
    const placed = await rest.postJson('/api/v1/orders', order, headers);
    expect(placed).toMatchObject({ status: 201, body: { paymentMethod: 'VOUCHER' } });
    const read = await call('OrderService/GetOrder', { orderId: String(placed.body.id) });
    expect(read).toMatchObject({ order: { paymentMethod: 'PAYMENT_METHOD_VOUCHER' } });
  });

  it('passes the isolation check, which covers every route and RPC', () => {
    const tokens = { ISOLATION_A_TOKEN: tokenOf(headers), ISOLATION_B_TOKEN: tokenOf(stranger) };
    run(project, tokens, process.execPath, 'cli/main.ts', 'isolation', `--url=${http}`, `--rpc=dns:///${rpc}`);
  }, 240_000);

  it('reads and documents the new setting', async () => {
    expect((await fetch(`${http}/health/live`)).headers.get('referrer-policy')).toBe('no-referrer');
    run(project, {}, process.execPath, 'scripts/settings-doc.ts');
    const page = readFileSync(join(project, 'docs/reference/settings.md'), 'utf8');
    expect(page).toContain('## app.http.no-referrer\n\nWhether responses have the header');
  });

  it('describes all of it in the OpenAPI document', async () => {
    const text = JSON.stringify((await rest.send('GET', '/openapi.json')).body);
    for (const name of ['mobilePhone', '/api/v1/products/{id}/availability', 'VOUCHER']) expect(text).toContain(name);
  });
});

function copyProject(): string {
  const folder = emptyFolder();
  for (const path of [...COPIED, ...COPIED_TOO]) cpSync(join(PROJECT, path), join(folder, path), { recursive: true });
  mkdirSync(join(folder, 'data'));
  symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Runs a program of the project with further variables. A failure contains its output. */
function run(cwd: string, more: Readonly<Record<string, string>>, program: string, ...args: string[]): void {
  const PATH = `${join(PROJECT, 'node_modules/.bin')}:${process.env['PATH']}`;
  try {
    execFileSync(program, args, { cwd, env: { ...process.env, PATH, ...more }, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

const tokenOf = ({ authorization = '' }: Readonly<Record<string, string>>) => authorization.replace('Bearer ', '');

/** Returns a function that calls RPCs of the shop with messages in JSON, by the descriptors of the project. */
function callerOf(project: string, target: string, headers: Readonly<Record<string, string>>) {
  const descriptors = readFileSync(join(project, 'proto/gen/descriptors.binpb'));
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptors));
  const client = new Client(target, credentials.createInsecure());
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  const encode = (type: DescMessage) => (message: Record<string, unknown>) =>
    Buffer.from(toBinary(type, create(type, message)));
  return async (rpc: string, message: Record<string, unknown>) => {
    const [service, name] = rpc.split('/') as [string, string];
    const method = registry.getService(`authservice.business.v1.${service}`)!.methods.find((one) => one.name === name)!;
    const read = (bytes: Buffer) => toJson(method.output, fromBinary(method.output, bytes));
    return new Promise<unknown>((resolve, reject) => {
      const path = `/authservice.business.v1.${rpc}`;
      client.makeUnaryRequest(path, encode(method.input), read, message, metadata, (error, response) =>
        error ? reject(error) : resolve(response),
      );
    });
  };
}
