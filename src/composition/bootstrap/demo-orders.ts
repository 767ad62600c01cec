// Creates the history of a demo shop's orders, in order of time.
import type { NewCustomer } from '../../business/customers/customer.ts';
import { utcDate } from '../../business/dashboard/utc-calendar.ts';
import { lockForChange } from '../../business/change-record.ts';
import { transitionOrder } from '../../business/orders/transition-order.ts';
import type { OrderStatus } from '../../business/orders/order-status.ts';
import { ORDERS } from '../../business/orders/order-store.ts';
import { placeOrder } from '../../business/orders/place-order.ts';
import type { DemoOrder, Opening } from './demo-shop.ts';

/** The records that an order refers to: ids of products by SKU, and customers by name. */
interface Stocked {
  readonly products: ReadonlyMap<string, string>;
  readonly customers: ReadonlyMap<string, NewCustomer>;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The member of staff who moves an order to each status. */
const MOVERS: Readonly<Record<OrderStatus, keyof Opening['staff']>> = {
  NEW: 'sales',
  CONFIRMED: 'sales',
  IN_PRODUCTION: 'workshop',
  READY: 'workshop',
  OUT_FOR_DELIVERY: 'workshop',
  DELIVERED: 'workshop',
  COMPLETED: 'office',
  CANCELLED: 'sales',
};

/** The status transitions of an order, each with the hours since the order was placed. */
type Way = readonly (readonly [to: OrderStatus, hours: number])[];

const COLLECTED: Way = [
  ['CONFIRMED', 0.7],
  ['IN_PRODUCTION', 2.9],
  ['READY', 4.6],
  ['COMPLETED', 9.8],
];
const CANCELLED: Way = [
  ['CONFIRMED', 0.7],
  ['CANCELLED', 2.8],
];
const delivered = (hours: number): Way => [
  ['CONFIRMED', 0.7],
  ['IN_PRODUCTION', hours - 9.6],
  ['READY', hours - 5.2],
  ['OUT_FOR_DELIVERY', hours - 1.9],
  ['DELIVERED', hours],
  ['COMPLETED', hours + 19.5],
];

/** Places the orders and moves them to their status. Events run one at a time, so that numbers increase with time. */
export async function addOrders(opening: Opening, stocked: Stocked): Promise<void> {
  const events = opening.shop.orders.flatMap((order) => eventsOf(opening, order, stocked));
  for (const { happen } of events.toSorted((a, b) => a.at - b.at)) await happen();
}

function eventsOf(
  { tx, shop: { tenantId }, staff, now }: Opening,
  [hoursAgo, name, status, paymentMethod, deliveryDays, items, note]: DemoOrder,
  { products, customers }: Stocked,
) {
  // Spreads the orders over the minutes of an hour.
  const placedAt = now - hoursAgo * HOUR_MS - ((hoursAgo * 7) % 50) * MINUTE_MS;
  const customer = customers.get(name)!;
  let id: string;
  const place = async () => {
    const order = await placeOrder(tx, {
      tenantId,
      customerId: customer.id,
      lines: items.split(', ').map((item, index) => {
        const [quantity, sku] = item.split(' ');
        return { productId: products.get(sku!)!, quantity: Number(quantity), index };
      }),
      paymentMethod,
      deliveryDate: deliveryDays === undefined ? undefined : utcDate(placedAt + deliveryDays * 24 * HOUR_MS),
      deliveryAddress: deliveryDays === undefined ? undefined : customer.address,
      note,
      by: staff.sales,
      now: placedAt,
    });
    id = order.id;
  };
  const move = async (to: OrderStatus, at: number) => {
    const target = { store: ORDERS, tenantId, id, precondition: undefined };
    const order = await lockForChange(tx, target, at);
    const reason = to === 'CANCELLED' ? 'The customer has called it off.' : undefined;
    await transitionOrder(tx, order, { to, note: reason, by: staff[MOVERS[to]], now: at });
  };
  const moves = wayTo(status, deliveryDays).map(([to, hours]) => {
    const at = Math.round(placedAt + hours * HOUR_MS);
    return { at, happen: () => move(to, at) };
  });
  return [{ at: placedAt, happen: place }, ...moves];
}

function wayTo(status: OrderStatus, deliveryDays: number | undefined): Way {
  const whole = deliveryDays === undefined ? COLLECTED : delivered(deliveryDays * 24);
  const way = status === 'CANCELLED' ? CANCELLED : whole;
  return way.slice(0, way.findIndex(([to]) => to === status) + 1);
}
