// Reads the fields of orders from validated requests.
import type { OrderFields as FieldsMessage } from '../../../proto/gen/authservice/business/v1/order_service.ts';
import type { RequestViolations } from '../../platform/rpc/request-violations.ts';
import { orderDetails, type OrderDetails } from './order.ts';
import { checkLines, type RequestedItem } from './requested-items.ts';

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
  { items, ...details }: Partial<FieldsMessage>,
): Partial<OrderFields> {
  return { ...orderDetails(details), ...(items && { lines: checkLines(violations, items) }) };
}
