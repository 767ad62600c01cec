import {
  OrderServiceService,
  OrderStatus,
  PaymentMethod,
} from '../../../proto/gen/authservice/business/v1/order_service.ts';
import { elsewhere, hidden, probes, nothing, own, reference, type RestCases, rpcCases } from '../probe-case.ts';

const itemsOf = (product: string) => [{ productId: product, quantity: 1 }];
const CONFIRMED = { status: 'CONFIRMED' };

export const ORDER_ROUTES: RestCases = {
  'GET /orders': probes(
    own(() => ({ query: { perPage: '100' } })),
    nothing(({ mark }) => ({ query: { q: mark } })),
    nothing(({ customer }) => ({ query: { customerId: customer } })),
  ),
  'POST /orders': probes(
    elsewhere(({ tenant }, { customer, product }) => ({
      body: { customerId: customer, items: itemsOf(product), tenantId: tenant },
    })),
    reference(({ customer }, { product }) => ({ body: { customerId: customer, items: itemsOf(product) } })),
    reference(({ product }, { customer }) => ({ body: { customerId: customer, items: itemsOf(product) } })),
  ),
  'GET /orders/{id}': probes(hidden(({ order }) => ({ path: { id: order } }))),
  'PUT /orders/{id}': probes(
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
  'PATCH /orders/{id}': probes(
    hidden(({ order }) => ({ path: { id: order }, body: { note: 'Changed' } })),
    elsewhere(({ tenant }, { order }) => ({ path: { id: order }, body: { tenantId: tenant } })),
    reference(({ customer }, { order }) => ({ path: { id: order }, body: { customerId: customer } })),
    reference(({ product }, { order }) => ({ path: { id: order }, body: { items: itemsOf(product) } })),
  ),
  'PATCH /orders/{id}/status': probes(
    hidden(({ order }) => ({ path: { id: order }, body: CONFIRMED })),
    elsewhere(({ tenant }, { order }) => ({ path: { id: order }, body: { ...CONFIRMED, tenantId: tenant } })),
    reference(({ file }, { order }) => ({ path: { id: order }, body: { status: 'READY', photos: [file] } })),
  ),
  'DELETE /orders/{id}': probes(hidden(({ order }) => ({ path: { id: order } }))),
  'GET /orders/{id}/status-history': probes(hidden(({ order }) => ({ path: { id: order } }))),
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

export const ORDER_RPCS = rpcCases(OrderServiceService, {
  listOrders: probes(
    own(() => ({ ...ALL, page: { page: 1, perPage: 100 } })),
    nothing(({ mark }) => ({ ...ALL, query: mark })),
    nothing(({ customer }) => ({ ...ALL, customerId: customer })),
  ),
  getOrder: probes(hidden(({ order }) => ({ orderId: order }))),
  createOrder: probes(
    elsewhere(({ tenant }, { customer, product }) => ({ order: ordered(customer, product), tenantId: tenant })),
    reference(({ customer }, { product }) => ({ order: ordered(customer, product) })),
    reference(({ product }, { customer }) => ({ order: ordered(customer, product) })),
  ),
  updateOrder: probes(
    hidden(({ order }) => ({ orderId: order, ...NOTED })),
    elsewhere(({ tenant }, { order }) => ({ orderId: order, ...NOTED, tenantId: tenant })),
    reference(({ customer }, { order, product }) => ({ orderId: order, order: ordered(customer, product), ...BOTH })),
    reference(({ product }, { order, customer }) => ({ orderId: order, order: ordered(customer, product), ...BOTH })),
  ),
  setOrderStatus: probes(
    hidden(({ order }) => ({ orderId: order, ...CONFIRM })),
    elsewhere(({ tenant }, { order }) => ({ orderId: order, ...CONFIRM, tenantId: tenant })),
    reference(({ file }, { order }) => ({
      orderId: order,
      status: OrderStatus.ORDER_STATUS_READY,
      photos: [file],
    })),
  ),
  deleteOrder: probes(hidden(({ order }) => ({ orderId: order }))),
  listOrderStatusHistory: probes(hidden(({ order }) => ({ orderId: order }))),
});
