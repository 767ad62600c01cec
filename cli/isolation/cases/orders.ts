import {
  OrderServiceService,
  OrderStatus,
  PaymentMethod,
} from '../../../proto/gen/authservice/business/v1/order_service.ts';
import { elsewhere, hidden, probes, nothing, own, reference, rpcCases, WHOLE_PAGE } from '../probe-case.ts';

const itemsOf = (product: string) => [{ productId: product, quantity: 1 }];
const ALL = { sort: '', status: OrderStatus.ORDER_STATUS_UNSPECIFIED };
const ordered = (customer: string, product: string) => ({
  customerId: customer,
  items: itemsOf(product),
  paymentMethod: PaymentMethod.PAYMENT_METHOD_UNSPECIFIED,
});
/** PATCH sends the field of the mask, PUT the whole order. */
const changed = (orderId: string, customer: string, product: string, field: string) => ({
  orderId,
  order: { ...ordered(customer, product), note: 'Changed' },
  updateMask: [field],
});
const OF_ORDER = probes<{ orderId: string }>(hidden(({ order }) => ({ orderId: order })));
const CONFIRM = { status: OrderStatus.ORDER_STATUS_CONFIRMED, photos: [] };

export const ORDER_RPCS = rpcCases(OrderServiceService, {
  listOrders: probes(
    own(() => ({ ...ALL, ...WHOLE_PAGE })),
    nothing(({ mark }) => ({ ...ALL, query: mark })),
    nothing(({ customer }) => ({ ...ALL, customerId: customer })),
  ),
  getOrder: OF_ORDER,
  createOrder: probes(
    elsewhere(({ tenant }, { customer, product }) => ({ order: ordered(customer, product), tenantId: tenant })),
    reference(({ customer }, { product }) => ({ order: ordered(customer, product) })),
    reference(({ product }, { customer }) => ({ order: ordered(customer, product) })),
  ),
  updateOrder: probes(
    hidden(({ order }, { customer, product }) => changed(order, customer, product, 'note')),
    elsewhere(({ tenant: tenantId }, { order, customer, product }) => ({
      ...changed(order, customer, product, 'note'),
      tenantId,
    })),
    reference(({ customer }, { order, product }) => changed(order, customer, product, 'customer_id')),
    reference(({ product }, { order, customer }) => changed(order, customer, product, 'items')),
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
  deleteOrder: OF_ORDER,
  listOrderStatusHistory: OF_ORDER,
});
