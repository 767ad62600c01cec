import {
  OrderServiceService,
  OrderStatus,
  PaymentMethod,
} from '../../../proto/gen/authservice/business/v1/order_service.ts';
import { examplesOf } from '../example.ts';
import { reference, WHOLE_PAGE } from '../probe-case.ts';
import type { Records } from '../records.ts';

const ordered = ({ customer, product }: Records) => ({
  customerId: customer,
  items: [{ productId: product, quantity: 1 }],
  paymentMethod: PaymentMethod.PAYMENT_METHOD_UNSPECIFIED,
});
const ofOrder = ({ order }: Records) => ({ orderId: order });

export const ORDERS = examplesOf(OrderServiceService, {
  listOrders: {
    request: () => ({ ...WHOLE_PAGE, sort: '', status: OrderStatus.ORDER_STATUS_UNSPECIFIED }),
    filters: [({ customer }) => ({ customerId: customer })],
  },
  getOrder: ofOrder,
  createOrder: (records) => ({ order: ordered(records) }),
  // PATCH sends the fields of the mask, PUT the whole order.
  updateOrder: (records) => ({
    ...ofOrder(records),
    order: { ...ordered(records), note: 'Changed' },
    updateMask: ['note', 'customer_id', 'items'],
  }),
  setOrderStatus: {
    request: (records) => ({ ...ofOrder(records), status: OrderStatus.ORDER_STATUS_CONFIRMED, photos: [] }),
    more: [reference(({ file }, own) => ({ ...ofOrder(own), status: OrderStatus.ORDER_STATUS_READY, photos: [file] }))],
  },
  deleteOrder: ofOrder,
  listOrderStatusHistory: ofOrder,
});
