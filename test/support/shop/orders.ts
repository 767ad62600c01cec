// Orders for the tests of the order endpoints.
import type { OrderStatus } from '../../../src/business/orders/order-status.ts';
import type { Seed } from '../accounts.ts';
import type { Deployment } from '../deployment.ts';
import { caller, type Caller } from '../callers.ts';
import { WAYS } from './core-shop.ts';
import { addCustomer } from './customers.ts';
import { addProduct } from './products.ts';

/** A tenant with a customer, and a product with 1,000,000 units in stock for 2.50 EUR. */
export interface Shop {
  readonly manager: Caller;
  readonly customerId: string;
  readonly productId: string;
}

export async function openShop(deployment: Deployment, seed: Seed = {}): Promise<Shop> {
  const manager = await caller(deployment, seed);
  const { id: customerId } = await addCustomer(manager);
  const { id: productId } = await addProduct(manager, { price: 2.5, stock: 1_000_000 });
  return { manager, customerId, productId };
}

/** A valid body: one unit of the shop's product. */
export function newOrder(
  { customerId, productId }: Pick<Shop, 'customerId' | 'productId'>,
  fields: Record<string, unknown> = {},
): Record<string, unknown> {
  return { customerId, items: [{ productId, quantity: 1 }], ...fields };
}

/** Creates an order. Throws if that fails. */
export async function placeOrder(shop: Shop, fields: Record<string, unknown> = {}): Promise<any> {
  const response = await shop.manager.post('/orders', newOrder(shop, fields));
  if (response.status !== 201) throw new Error(`no order: ${response.status} ${response.text}`);
  return response.body;
}

/** Creates an order and changes its status, step by step, to the given one. */
export async function orderIn(shop: Shop, status: OrderStatus, fields: Record<string, unknown> = {}): Promise<any> {
  let order = await placeOrder(shop, fields);
  for (const next of WAYS[status]) order = (await setStatus(shop.manager, order, next)).body;
  if (order.status !== status) throw new Error(`the order is not ${status}: ${JSON.stringify(order)}`);
  return order;
}

export const pathOf = ({ id }: { readonly id: string }): string => `/orders/${id}`;

export function setStatus(by: Caller, order: { readonly id: string }, status: string, more: object = {}) {
  return by.patch(`${pathOf(order)}/status`, { status, ...more });
}

/** Returns the stock of a product. */
export async function stockOf({ manager }: Shop, productId: string): Promise<number> {
  return (await manager.get(`/products/${productId}`)).body.stock;
}

/** Returns a fingerprint of a tenant's orders and stock. Every change of them changes it. */
export async function traceOf({ database }: Deployment, tenantId: string): Promise<unknown> {
  const tenant = Buffer.from(tenantId);
  const sums = [
    'SELECT COUNT(*) AS count, SUM(version) AS versions, SUM(total) AS total FROM orders WHERE tenant_id = ?',
    'SELECT COUNT(*) AS count, SUM(quantity) AS pieces FROM order_items WHERE tenant_id = ?',
    'SELECT COUNT(*) AS count FROM order_status_changes WHERE tenant_id = ?',
    'SELECT COUNT(*) AS count, SUM(version) AS versions, SUM(stock) AS stock FROM products WHERE tenant_id = ?',
  ];
  const rows = [];
  for (const sum of sums) rows.push(...(await database.query<Record<string, number | string>>(sum, [tenant])));
  return rows.map((row) => Object.values(row).map(Number));
}
