import { ServiceError } from '../../platform/errors.ts';
import type { Customer } from '../customers/customer.ts';

/** Throws CONFLICT if a customer may not order. */
export function assertCanOrder(customer: Customer | undefined): void {
  if (customer?.status === 'BLOCKED') throw new ServiceError('CONFLICT', { detail: 'the customer is BLOCKED' });
}
