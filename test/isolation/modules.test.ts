// `authservice isolation` on the routes of a module outside this project: one that keeps tenants apart, and one that does not.
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { moduleCases } from '../../cli/isolation/module-routes.ts';
import type { OpenApi } from '../../cli/isolation/routes.ts';
import { PASSWORD, seedAccount } from '../support/accounts.ts';
import { runCli } from '../support/cli.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { MODULE, PROTO, writeModule } from '../support/invoices-module.ts';
import { endProcesses, SHOP_SETTINGS, startProgram } from '../support/service-process.ts';

const databases: TestDatabase[] = [];
afterEach(endProcesses);
afterAll(() => Promise.all(databases.map((database) => database.drop())));

const RPCS = `
  // List the invoices.
  rpc ListInvoices(ListInvoicesRequest) returns (ListInvoicesResponse) {
    option (authservice.access.v1.rule) = {credential: CREDENTIAL_REQUIRED own_permission: "invoices:read"};
    option (google.api.http) = {get: "/api/v1/invoices" response_body: "invoices"};
    option (authservice.rest.v1.operation) = {tag: "Invoices"};
  }
  // Delete an invoice.
  rpc DeleteInvoice(DeleteInvoiceRequest) returns (DeleteInvoiceResponse) {
    option (authservice.access.v1.rule) = {credential: CREDENTIAL_REQUIRED own_permission: "invoices:write"};
    option (google.api.http) = {delete: "/api/v1/invoices/{invoice_id}"};
    option (authservice.rest.v1.operation) = {tag: "Invoices" status: 204};
    option (authservice.error.v1.error) = {reason: REASON_NOT_FOUND};
  }
}
// All invoices.
message ListInvoicesRequest {}
// The invoices.
message ListInvoicesResponse {
  // The invoices.
  repeated Invoice invoices = 1;
}
// The invoice to delete.
message DeleteInvoiceRequest {
  // Id of the invoice.
  string invoice_id = 1 [(authservice.rule.v1.field) = {max: 36 record: true name: "id"}];
}
// Nothing.
message DeleteInvoiceResponse {}
`;

const HANDLERS = `
          async listInvoices(_request: object, call: service.Call) {
            const rows = await service
              .tenantScope(database, service.tenantOf(call))
              .query<Row & { id: Uint8Array }>('SELECT * FROM invoices WHERE tenant_id = :tenant', []);
            const toInvoice = ({ id, total, created_at }: Row & { id: Uint8Array }) =>
              ({ id: service.bytesToId(id), customer: 'x', total, createdAt: new Date(created_at) });
            return { invoices: rows.map(toInvoice) };
          },
          async deleteInvoice({ invoiceId: id }: { invoiceId: string }, call: service.Call) {
            const deleted = service.isId(id) && await service
              .tenantScope(database, service.tenantOf(call))
              .execute('DELETE FROM invoices WHERE tenant_id = :tenant AND id = ?', [service.idToBytes(id)]);
            if (!deleted) throw new service.ServiceError('NOT_FOUND');
            return {};
          },
        }),
      ],
      cleanupTargets`;

/** Writes the module of docs/extending.md with a list and a deletion. Replaces the condition of its statements. */
const writeWithList = (condition: string) =>
  writeModule((path, text) => {
    if (path === PROTO) return text.replace(/\n\}\n/, RPCS);
    expect(path).toBe(MODULE);
    return text.replace(/\n +\}\),\n +\],\n +cleanupTargets/, HANDLERS).replaceAll('tenant_id = :tenant', condition);
  });

/** Runs the command on a service with this module. Returns its exit code and its lines. */
async function check(module: string): Promise<{ readonly code: number; readonly out: string }> {
  const database = await createTestDatabase('sqlite');
  databases.push(database);
  const settings = { ...SHOP_SETTINGS, 'app.database.url': database.url, 'app.modules': module };
  const { http, rpc } = await startProgram('gateway', { settings }).ready();
  const login = async (flag: string, tenantId: string) => {
    const { username } = await seedAccount(database.database, { tenantId, roles: ['ADMIN'] });
    return `--${flag}-username=${username}`;
  };
  const parties = [await login('a', 'acme'), await login('b', 'globex')];
  const env = { ISOLATION_A_PASSWORD: PASSWORD, ISOLATION_B_PASSWORD: PASSWORD };
  return runCli(['isolation', `--url=${http}`, `--rpc=${rpc}`, ...parties], { env });
}

describe('the isolation check', () => {
  it('passes for a module that keeps tenants apart', { timeout: 120_000 }, async () => {
    const { code, out } = await check(writeWithList('tenant_id = :tenant'));
    expect(out).toMatch(/^REST {2}GET \/invoices\/\{id\} +passed +hidden: \/invoices$/m);
    expect(out).toMatch(/^REST {2}DELETE \/invoices\/\{id\} +passed +hidden: \/invoices$/m);
    expect(out).toMatch(/^REST {2}GET \/invoices +passed +own$/m);
    expect(out).toMatch(/^REST {2}POST \/invoices +- +its path contains no id of a record$/m);
    expect(out).toContain('RPCs of modules were checked by their routes only');
    expect(out).not.toContain('Left behind: /invoices');
    expect(code).toBe(0);
  });

  it('fails for a module that leaks', { timeout: 120_000 }, async () => {
    const { code, out } = await check(writeWithList('(tenant_id = :tenant OR 1 = 1)'));
    expect(out).toMatch(/^REST {2}GET \/invoices\/\{id\} +FAILED/m);
    expect(out).toMatch(/^REST {2}GET \/invoices +FAILED/m);
    expect(out).toMatch(/^ +hidden: \/invoices: 200 instead of 404 not-found$/m);
    expect(out).toMatch(/^ +own: contains \/invoices of the other tenant$/m);
    expect(code).toBe(1);
  });
});

describe('the cases of a module', () => {
  const of = (rpc: string, more: object = {}) => ({ 'x-rpc': rpc, responses: { '201': {} }, ...more });
  const needed = { parameters: [{ in: 'query', name: 'from', required: true }] };

  it.each<[route: string, paths: OpenApi['paths'], names: readonly string[]]>([
    ['a record without a POST', { '/api/v1/bills/{id}': { get: of('bills.v1.S/GetBill') } }, []],
    ['a list with a required parameter', { '/api/v1/bills': { get: of('bills.v1.S/ListBills', needed) } }, []],
    ['a route of the service', { '/api/v1/bills': { get: of('authservice.x.v1.S/ListBills') } }, []],
    [
      'records within a record',
      { '/x/api/v1/bills': { post: of('b.v1.S/A') }, '/x/api/v1/bills/{id}/lines/{lineId}': { get: of('b.v1.S/B') } },
      ['POST /bills', 'GET /bills/{id}/lines/{lineId}'],
    ],
  ])('%s', (_route, paths, names) => {
    expect(Object.keys(moduleCases({ paths }))).toEqual(names);
  });
});
