import type { ReasonName } from '../../errors.ts';

const FAULTS: ReadonlySet<ReasonName | 'OK'> = new Set([
  'INTERNAL_ERROR',
  'AUTHENTICATION_SERVICE_UNAVAILABLE',
  'SERVICE_UNAVAILABLE',
  'DEADLINE_EXCEEDED',
]);

/** Whether the service failed. All other reasons are refusals, which are normal operation. */
export function isServerFault(reason: ReasonName | 'OK'): boolean {
  return FAULTS.has(reason);
}
