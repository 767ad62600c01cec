// Customers and orders for tests.
import { newId } from '../../../src/platform/db/ids.ts';
import type { Database } from '../../../src/platform/db/types.ts';
import type { Order } from '../../../src/business/orders/order.ts';
import { ORDERS } from '../../../src/business/orders/order-store.ts';
import type { Caller } from '../callers.ts';

export interface CustomerBody {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Creates a customer. Throws if that fails. */
export async function addCustomer(by: Caller, fields: object = {}): Promise<CustomerBody> {
  const response = await by.post('/customers', { name: 'A customer', ...fields });
  if (response.status !== 201) throw new Error(`no customer: ${response.status} ${response.text}`);
  return response.body;
}

let orders = 0;

/** Inserts an order of one unit for 10.00 EUR into the database. */
export async function seedOrder(
  database: Database,
  seed: Pick<Order, 'tenantId' | 'customerId'> & Partial<Omit<Order, 'items'>>,
): Promise<Order> {
  orders += 1;
  const { total = 1_000, createdAt = Date.now() } = seed;
  const order: Order = {
    id: newId(),
    number: orders,
    items: [{ productId: newId(), name: 'Roses', quantity: 1, unitPrice: total }],
    total,
    currency: 'EUR',
    status: 'NEW',
    paymentMethod: undefined,
    deliveryDate: undefined,
    deliveryAddress: undefined,
    note: undefined,
    productionPhotos: [],
    deliveryPhotos: [],
    createdAt,
    updatedAt: createdAt,
    version: 1,
    ...seed,
  };
  await ORDERS.insert(database, order);
  return order;
}
