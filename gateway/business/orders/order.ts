// Orders as answers show them.
import Type from 'typebox';
import type { Static } from 'typebox';
import type {
  Order as OrderMessage,
  OrderItem as ItemMessage,
} from '../../../proto/gen/authservice/business/v1/order_service.ts';
import { leftOut, Time } from '../fields.ts';
import { Images, imagesBody } from '../images.ts';
import { amountOf } from '../money.ts';
import { sent } from '../sent.ts';
import { ORDER_STATUSES, orderStatusCode, PAYMENT_METHODS, paymentMethodCode } from './codes.ts';

/** Any text: one that cannot be an id names no order. */
export const OrderParams = Type.Object({ id: Type.String({ description: 'Id of the order.' }) });
export type OrderParams = Static<typeof OrderParams>;

const Item = Type.Object(
  {
    productId: Type.String({ description: 'The product may have been deleted since.' }),
    name: Type.String({ description: 'What the product was called when it was ordered.' }),
    quantity: Type.Integer({ description: 'Pieces.' }),
    unitPrice: Type.Number({ description: 'What one piece cost when it was ordered.' }),
    lineTotal: Type.Number({ description: 'What all pieces cost.' }),
  },
  { title: 'OrderItem' },
);

const MEMBERS = {
  id: Type.String(),
  tenantId: Type.String(),
  number: Type.Integer({ description: 'Rises with every order of the tenant.' }),
  customerId: Type.String({ description: 'Who ordered.' }),
  items: Type.Array(Item, { description: 'In the order given.' }),
  total: Type.Number({ description: 'The sum of the items.' }),
  currency: Type.String({ description: 'ISO 4217, the same for all items.' }),
  status: Type.Enum([...ORDER_STATUSES]),
  paymentMethod: leftOut(Type.Enum([...PAYMENT_METHODS])),
  deliveryDate: leftOut(Type.String({ format: 'date', description: 'On which day it is wanted.' })),
  deliveryAddress: leftOut(Type.String({ description: 'Where it is wanted.' })),
  note: leftOut(Type.String()),
  productionPhotos: Images('In the order of their indexes.'),
  deliveryPhotos: Images('In the order of their indexes.'),
  createdAt: Time('When it was placed.'),
  updatedAt: Time('When it was last changed.'),
};

/** Schema of an answer that shows an order. */
export const Order = (description: string, headers: object) =>
  Type.Object(MEMBERS, { title: 'Order', description, headers });

/** Schema of an answer that shows several. */
export const OrderList = (description: string, headers: object) =>
  Type.Array(Type.Object(MEMBERS, { title: 'Order' }), { description, headers });

/** An order as it is shown. `apiRoot` is the path that its photos' paths begin with: apiRootOf(request). */
export function orderBody(order: OrderMessage, apiRoot: string) {
  const { id, tenantId, number, customerId, currency, deliveryDate, deliveryAddress, note } = order;
  const path = `${apiRoot}/orders/${id}`;
  return {
    id,
    tenantId,
    number,
    customerId,
    items: order.items.map(itemBody),
    total: amountOf(order.total),
    currency,
    status: sent(orderStatusCode(order.status), 'status'),
    paymentMethod: paymentMethodCode(order.paymentMethod),
    deliveryDate,
    deliveryAddress,
    note,
    productionPhotos: imagesBody(order.productionPhotos, `${path}/production-photos`),
    deliveryPhotos: imagesBody(order.deliveryPhotos, `${path}/delivery-photos`),
    createdAt: sent(order.createdAt, 'time').toISOString(),
    updatedAt: sent(order.updatedAt, 'time').toISOString(),
  };
}

function itemBody({ unitPrice, lineTotal, ...item }: ItemMessage) {
  return { ...item, unitPrice: amountOf(unitPrice), lineTotal: amountOf(lineTotal) };
}
