// Customers and their orders as tests put them there.
import { newId } from '../../../src/db/ids.ts';
import type { Database } from '../../../src/db/types.ts';
import type { Order } from '../../../src/business/orders/order.ts';
import { insertOrder } from '../../../src/business/orders/order-store.ts';
import type { Caller } from '../callers.ts';

export interface CustomerBody {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Adds a customer and fails the test where that does not work. */
export async function addCustomer(by: Caller, fields: object = {}): Promise<CustomerBody> {
  const answer = await by.post('/customers', { name: 'A customer', ...fields });
  if (answer.status !== 201) throw new Error(`no customer: ${answer.status} ${answer.text}`);
  return answer.body;
}

let orders = 0;

/** Puts an order of one piece for 10.00 EUR into the database. */
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
  await insertOrder(database, order);
  return order;
}
