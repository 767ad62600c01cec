import { ServiceError } from '../../platform/errors.ts';
import { ORDER_STATUS_TABLE, type OrderStatus } from './order-status.ts';

/** Throws INVALID_TRANSITION if the transition is not allowed. Keeping the status is not a transition. */
export function assertTransition(from: OrderStatus, to: OrderStatus): void {
  const allowed = ORDER_STATUS_TABLE[from].next;
  if (allowed.includes(to)) return;
  const message = allowed.length > 0 ? `must be one of ${allowed.join(', ')}` : `cannot change from ${from} any more`;
  throw new ServiceError('INVALID_TRANSITION', {
    violations: [{ message, format: 'transition', props: ['status'], params: { from, to, allowed } }],
  });
}
