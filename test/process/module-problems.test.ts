// Modules that cannot be served: the start ends with a message that names the module and the problem. Those that cannot even be
// loaded are in module-load-problems.test.ts.
import { afterAll, describe, expect, it } from 'vitest';
import { EXIT_OF_SETTINGS } from '../../src/platform/setting-error.ts';
import { MODULE, PROTO, writeChanged } from '../support/invoices-module.ts';
import { LABELS_PROTO, writeLabelsModule } from '../support/labels-module.ts';
import { endProcesses, FREE_PORTS, type SettingFlags, startProgram } from '../support/service-process.ts';

afterAll(endProcesses);

/** Starts the service with modules. Returns the message with which it ends. */
async function startRefused(modules: readonly string[], settings: SettingFlags = {}, code = 1): Promise<unknown> {
  const all = { ...FREE_PORTS, 'app.env': 'TEST', 'app.database.url': 'sqlite::memory:', ...settings };
  const service = startProgram('gateway', { settings: { ...all, 'app.modules': modules.join() } });
  expect((await service.exited).code).toBe(code);
  return service.logs().find(({ level }) => level === 'fatal' || Number(level) === 60)?.msg ?? service.output();
}

describe('a broken module stops the start', () => {
  const RULE = /^ +option \(authservice\.access\.v1\.rule\) = .*\n/m;
  it.each<[problem: string, file: string, text: RegExp | string, replacement: string, message: RegExp]>([
    ['a method without an access rule', PROTO, RULE, '', /Missing or invalid access rule .*CreateInvoice/],
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
    ['a missing handler', MODULE, 'async getInvoice', 'async readInvoice', /has no handler getInvoice/],
    ['an error of create', MODULE, 'let created = 0;', "throw new Error('no licence');", /module\.ts: no licence/],
    [
      'a handler without an RPC',
      MODULE,
      'async getInvoice',
      'async listInvoices() {},\n async getInvoice',
      /has no RPC for the handler listInvoices/,
    ],
    [
      'an unknown service',
      MODULE,
      "'invoices.v1.InvoiceService'",
      "'invoices.v1.Invoices'",
      /its protos have no service invoices\.v1\.Invoices/,
    ],
    [
      'an invalid permission',
      PROTO,
      '"invoices:write"',
      '"Invoices Write"',
      /Missing or invalid access rule .*CreateInvoice/,
    ],
    [
      'a parameter of the path that is no field',
      PROTO,
      '{invoice_id}',
      '{invoice}',
      /GetInvoice names no field invoice/,
    ],
    [
      'a body that is no field',
      PROTO,
      'response_body: "invoice"',
      'response_body: "bill"',
      /CreateInvoice names no field bill/,
    ],
    [
      'a status without a body',
      PROTO,
      'status: 201',
      'status: 204',
      /CreateInvoice must have the status 204 or 202 if/,
    ],
    [
      'a cleanup of a table of the service',
      MODULE,
      "[{ table: 'invoices'",
      "[{ table: 'accounts'",
      /the table accounts of its cleanup must begin with invoices_/,
    ],
    [
      'a metric of another name',
      MODULE,
      "'invoices_created_total'",
      "'created_total'",
      /its metric created_total must begin with invoices_/,
    ],
    [
      'a table of another name',
      MODULE,
      "(schema, 'invoices'",
      "(schema, 'bills'",
      /migration invoices\/0001_invoices: the table bills must have the name invoices or begin with invoices_/,
    ],
    [
      'a table of the service',
      MODULE,
      "(schema, 'invoices'",
      "(schema, 'accounts'",
      /0001_invoices: the table accounts belongs to the service/,
    ],
    [
      'a change of a table of the service',
      MODULE,
      'async up(schema: service.Schema) {',
      "async up(schema: service.Schema) {\nawait schema.execute('DELETE\\n FROM tenants');",
      /0001_invoices: the table tenants belongs to the service: DELETE FROM tenants/,
    ],
    [
      'another statement',
      MODULE,
      'async up(schema: service.Schema) {',
      "async up(schema: service.Schema) {\nawait schema.execute('VACUUM');",
      /0001_invoices: a migration of a module can only .*: VACUUM/,
    ],
    [
      'an error of a migration',
      MODULE,
      'async up(schema: service.Schema) {',
      "async up(schema: service.Schema) {\nawait schema.execute('UPDATE invoices_old SET a = 1');",
      /migration invoices\/0001_invoices: Database error/,
    ],
    [
      'a migration without a number',
      MODULE,
      "'0001_invoices'",
      "'invoices'",
      /the migration invoices needs a name such as 0001_invoices/,
    ],
    [
      'two migrations with one number',
      MODULE,
      'migrations: [',
      "migrations: [{ name: '0001_other', async up() {} },",
      /two migrations have the number 0001: 0001_other and 0001_invoices/,
    ],
  ])('%s', async (_problem, file, text, replacement, message) => {
    expect(await startRefused([writeChanged(file, text, replacement)])).toMatch(message);
  });

  it('a missing file', async () => {
    expect(await startRefused(['/nowhere/module.ts'], {}, EXIT_OF_SETTINGS)).toMatch(
      /app\.modules: \/nowhere\/module\.ts: there is no such file/,
    );
  });
});

describe('protos that are not supported stop the start', () => {
  it.each<[problem: string, text: string, replacement: string, message: RegExp]>([
    [
      'bytes over REST',
      'int32 plain = 5',
      'bytes plain = 5 [(authservice.rule.v1.field) = {max: 9}]',
      /plain: bytes have no representation in JSON/,
    ],
    [
      'a map without a bound',
      '{max: 5 items: 2 required: true}',
      '{max: 5}',
      /EchoLabelsRequest\.texts: items is missing/,
    ],
    [
      'a map in the query',
      'post: "/api/v1/labels" body: "*"',
      'get: "/api/v1/labels"',
      /EchoLabelsRequest\.texts: only a body can have/,
    ],
    [
      'a number as the whole body',
      'body: "*"',
      'body: "*" response_body: "plain"',
      /response_body must name a message/,
    ],
    [
      'a stream over REST',
      'returns (EchoLabelsResponse)',
      'returns (stream EchoLabelsResponse)',
      /EchoLabels is a stream/,
    ],
    [
      'a path of the authentication',
      '"/api/v1/labels"',
      '"/api/v1/auth/labels"',
      /EchoLabels: the path must begin with .*not with/,
    ],
  ])('%s', async (_problem, text, replacement, message) => {
    expect(LABELS_PROTO).toContain(text);
    expect(await startRefused([writeLabelsModule(LABELS_PROTO.replace(text, replacement))])).toMatch(message);
  });
});
