// Products for the tests of the product endpoints.
import type { Deployment } from '../deployment.ts';
import type { RestResponse } from '../rest-client.ts';
import type { Caller } from '../callers.ts';

let made = 0;

/** A valid body with a unique SKU. */
export function newProduct(fields: Record<string, unknown> = {}): Record<string, unknown> {
  made += 1;
  return { sku: `SKU-${made}`, name: `Product ${made}`, price: 19.99, ...fields };
}

/** Creates a product. Throws if that fails. */
export async function addProduct(by: Caller, fields: Record<string, unknown> = {}): Promise<any> {
  const response = await by.post('/products', newProduct(fields));
  if (response.status !== 201) throw new Error(`no product: ${response.status} ${response.text}`);
  return response.body;
}

export const pathOf = ({ id }: { readonly id: string }): string => `/products/${id}`;

/** Counts responses by status. */
export function tallyOf(responses: readonly RestResponse[]): Record<number, number> {
  const tally: Record<number, number> = {};
  for (const { status } of responses) tally[status] = (tally[status] ?? 0) + 1;
  return tally;
}

/** Returns the number of products of a tenant by status: from the lists' totals, and counted from rows. */
export async function countsOf({ database }: Deployment, tenantId: string) {
  const tenant = Buffer.from(tenantId);
  const counters = await database.query<{ name: Uint8Array; value: number }>(
    'SELECT name, value FROM tenant_counters WHERE tenant_id = ? AND value <> 0',
    [tenant],
  );
  const rows = await database.query<{ status: string; count: number }>(
    'SELECT status, COUNT(*) AS count FROM products WHERE tenant_id = ? GROUP BY status',
    [tenant],
  );
  return {
    counted: Object.fromEntries(counters.map(({ name, value }) => [Buffer.from(name).toString(), value])),
    actual: Object.fromEntries(rows.map(({ status, count }) => [`products:${status}`, count])),
  };
}
