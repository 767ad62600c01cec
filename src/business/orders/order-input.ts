// The fields of orders as checked requests give them.
import type { OrderFields as FieldsMessage } from '../../../proto/gen/authservice/business/v1/order_service.ts';
import type { RequestViolations } from '../../rpc/request-violations.ts';
import type { OrderDetails } from './order.ts';
import { checkLines, type RequestedItem } from './order-lines.ts';
import { PAYMENT_METHOD } from './payment-method.ts';

/** What a caller may set. */
export interface OrderFields extends OrderDetails {
  readonly lines: readonly RequestedItem[];
}

/** The fields of a checked request; those that are required and meant are there. Notes what is wrong with lines of one product. */
export function orderFields(
  violations: RequestViolations,
  { items, paymentMethod, ...details }: Partial<FieldsMessage>,
): Partial<OrderFields> {
  const fields = {
    ...details,
    ...(items && { lines: checkLines(violations, items) }),
    ...(paymentMethod !== undefined && { paymentMethod: PAYMENT_METHOD.nameOf(paymentMethod) }),
  };
  return fields as Partial<OrderFields>;
}
