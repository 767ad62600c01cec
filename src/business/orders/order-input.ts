// Reads the fields of orders from validated requests.
import type { OrderFields as FieldsMessage } from '../../../proto/gen/authservice/business/v1/order_service.ts';
import type { RequestViolations } from '../../platform/rpc/request-violations.ts';
import type { OrderDetails } from './order.ts';
import { checkLines, type RequestedItem } from './requested-items.ts';
import { PAYMENT_METHOD } from './payment-method.ts';

/** The fields that a caller can set. */
export interface OrderFields extends OrderDetails {
  readonly lines: readonly RequestedItem[];
}

/**
 * Returns the fields of a validated request; required masked fields are present. Adds violations for lines of the same
 * product.
 */
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
