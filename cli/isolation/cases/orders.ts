import {
  OrderServiceService,
  OrderStatus,
  PaymentMethod,
} from '../../../proto/gen/authservice/business/v1/order_service.ts';
import { elsewhere, hidden, line, nothing, own, reference } from '../line.ts';
import type { RestLines } from '../rest-request.ts';
import { rpcLines } from '../rpc-line.ts';

const itemsOf = (product: string) => [{ productId: product, quantity: 1 }];
const CONFIRMED = { status: 'CONFIRMED' };

export const ORDER_ROUTES: RestLines = {
  'GET /orders': line(
    own(() => ({ query: { perPage: '100' } })),
    nothing(({ mark }) => ({ query: { q: mark } })),
    nothing(({ customer }) => ({ query: { customerId: customer } })),
  ),
  'POST /orders': line(
    elsewhere(({ tenant }, { customer, product }) => ({
      body: { customerId: customer, items: itemsOf(product), tenantId: tenant },
    })),
    reference(({ customer }, { product }) => ({ body: { customerId: customer, items: itemsOf(product) } })),
    reference(({ product }, { customer }) => ({ body: { customerId: customer, items: itemsOf(product) } })),
  ),
  'GET /orders/{id}': line(hidden(({ order }) => ({ path: { id: order } }))),
  'PUT /orders/{id}': line(
    hidden(({ order }, { customer, product }) => ({
      path: { id: order },
      body: { customerId: customer, items: itemsOf(product) },
    })),
    elsewhere(({ tenant }, { order, customer, product }) => ({
      path: { id: order },
      body: { customerId: customer, items: itemsOf(product), tenantId: tenant },
    })),
    reference(({ customer }, { order, product }) => ({
      path: { id: order },
      body: { customerId: customer, items: itemsOf(product) },
    })),
    reference(({ product }, { order, customer }) => ({
      path: { id: order },
      body: { customerId: customer, items: itemsOf(product) },
    })),
  ),
  'PATCH /orders/{id}': line(
    hidden(({ order }) => ({ path: { id: order }, body: { note: 'Changed' } })),
    elsewhere(({ tenant }, { order }) => ({ path: { id: order }, body: { tenantId: tenant } })),
    reference(({ customer }, { order }) => ({ path: { id: order }, body: { customerId: customer } })),
    reference(({ product }, { order }) => ({ path: { id: order }, body: { items: itemsOf(product) } })),
  ),
  'PATCH /orders/{id}/status': line(
    hidden(({ order }) => ({ path: { id: order }, body: CONFIRMED })),
    elsewhere(({ tenant }, { order }) => ({ path: { id: order }, body: { ...CONFIRMED, tenantId: tenant } })),
    reference(({ file }, { order }) => ({ path: { id: order }, body: { status: 'READY', photos: [file] } })),
  ),
  'DELETE /orders/{id}': line(hidden(({ order }) => ({ path: { id: order } }))),
  'GET /orders/{id}/status-history': line(hidden(({ order }) => ({ path: { id: order } }))),
};

const ALL = { sort: '', status: OrderStatus.ORDER_STATUS_UNSPECIFIED };
const ordered = (customer: string, product: string) => ({
  customerId: customer,
  items: itemsOf(product),
  paymentMethod: PaymentMethod.PAYMENT_METHOD_UNSPECIFIED,
});
const BOTH = { updateMask: ['customer_id', 'items'] };
const NOTED = {
  order: { items: [], paymentMethod: PaymentMethod.PAYMENT_METHOD_UNSPECIFIED, note: 'Changed' },
  updateMask: ['note'],
};
const CONFIRM = { status: OrderStatus.ORDER_STATUS_CONFIRMED, photos: [] };

export const ORDER_RPCS = rpcLines(OrderServiceService, {
  listOrders: line(
    own(() => ({ ...ALL, page: { page: 1, perPage: 100 } })),
    nothing(({ mark }) => ({ ...ALL, query: mark })),
    nothing(({ customer }) => ({ ...ALL, customerId: customer })),
  ),
  getOrder: line(hidden(({ order }) => ({ orderId: order }))),
  createOrder: line(
    elsewhere(({ tenant }, { customer, product }) => ({ order: ordered(customer, product), tenantId: tenant })),
    reference(({ customer }, { product }) => ({ order: ordered(customer, product) })),
    reference(({ product }, { customer }) => ({ order: ordered(customer, product) })),
  ),
  updateOrder: line(
    hidden(({ order }) => ({ orderId: order, ...NOTED })),
    elsewhere(({ tenant }, { order }) => ({ orderId: order, ...NOTED, tenantId: tenant })),
    reference(({ customer }, { order, product }) => ({ orderId: order, order: ordered(customer, product), ...BOTH })),
    reference(({ product }, { order, customer }) => ({ orderId: order, order: ordered(customer, product), ...BOTH })),
  ),
  setOrderStatus: line(
    hidden(({ order }) => ({ orderId: order, ...CONFIRM })),
    elsewhere(({ tenant }, { order }) => ({ orderId: order, ...CONFIRM, tenantId: tenant })),
    reference(({ file }, { order }) => ({
      orderId: order,
      status: OrderStatus.ORDER_STATUS_READY,
      photos: [file],
    })),
  ),
  deleteOrder: line(hidden(({ order }) => ({ orderId: order }))),
  listOrderStatusHistory: line(hidden(({ order }) => ({ orderId: order }))),
});
