import type { AuditEvent, AuditLog } from '../audit/audit-log.ts';
import { ServiceError } from '../errors.ts';
import type { Call } from '../rpc/types.ts';
import type { FailureLimit } from './failure-limit.ts';
import type { SessionFamily } from './session-family.ts';

/** Whose session a refusal concerns. */
export type RefusedFamily = Pick<SessionFamily, 'id' | 'tenantId' | 'accountId'>;

/** Why a refresh is refused, for operators: callers see one reason for all. */
export type RefusalClass =
  | 'missing'
  | 'malformed'
  | 'unknown'
  | 'expired'
  | 'revoked'
  | 'replayed'
  | 'not eligible'
  | 'policy';

/** The error of a refused refresh; its class stands in the log and, under maximal disclosure, in the answer. */
export function refreshRefusal(refusalClass: RefusalClass, detail: string): ServiceError {
  return new ServiceError('REFRESH_SESSION_INVALID', { detail: `Refresh refused (${refusalClass}): ${detail}` });
}

/** The audit event of a refused refresh; without a family it is not known whose it was. */
export function refusalEvent(
  refusalClass: RefusalClass,
  detail: string,
  family: RefusedFamily | undefined,
): AuditEvent {
  const details = { class: refusalClass, reason: detail, ...(family && { sessionId: family.id }) };
  return { event: 'session.refresh-refused', tenantId: family?.tenantId, accountId: family?.accountId, details };
}

/**
 * Refuses a refresh once the refusal is on record. A malformed credential counts against the limit of its network and is
 * TOO_MANY_REQUESTS beyond it; a genuine one is never limited, because others can have used the limit up.
 */
export type RefuseRefresh = (
  call: Call,
  refusalClass: RefusalClass,
  detail: string,
  family?: RefusedFamily,
) => Promise<never>;

export function createRefuseRefresh(audit: AuditLog, limit: FailureLimit): RefuseRefresh {
  return async (call, refusalClass, detail, family) => {
    await audit.record(call, refusalEvent(refusalClass, detail, family));
    if (refusalClass === 'malformed') await limit.countFailure(call);
    throw refreshRefusal(refusalClass, detail);
  };
}
