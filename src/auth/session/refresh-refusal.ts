import type { AuditLog, RefusalEvent } from '../audit/trail/audit-log.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Call } from '../access/principal.ts';
import type { FailureLimit } from './login/failure-limit.ts';
import type { Session } from './session.ts';

/** The session that a refusal concerns. */
type RefusedSession = Pick<Session, 'id' | 'tenantId' | 'accountId'>;

/** The reason for a refused refresh, for operators. Callers always see the same reason. */
type RefusalClass =
  | 'missing'
  | 'malformed'
  | 'unknown'
  | 'expired'
  | 'revoked'
  | 'replayed'
  | 'not eligible'
  | 'policy';

/**
 * Creates the error of a refused refresh. Its class appears in the log and, under maximal disclosure, in the response.
 */
export function refreshRefusal(refusalClass: RefusalClass, detail: string): ServiceError {
  return new ServiceError('REFRESH_SESSION_INVALID', { detail: `Refresh refused (${refusalClass}): ${detail}` });
}

/** Creates the audit event of a refused refresh. Without a session, the account is unknown. */
export function refusalEvent(
  refusalClass: RefusalClass,
  detail: string,
  session: RefusedSession | undefined,
): RefusalEvent {
  const details = { class: refusalClass, reason: detail, ...(session && { sessionId: session.id }) };
  return { event: 'session.refresh-refused', tenantId: session?.tenantId, accountId: session?.accountId, details };
}

/**
 * Returns a function that records the refusal in the audit log, then throws it. A malformed token counts against its
 * network's limit; beyond it, the error is TOO_MANY_REQUESTS. A genuine token is never limited, because other clients
 * could have used up the limit.
 */
export function createRefuseRefresh(audit: Pick<AuditLog, 'refuse'>, limit: FailureLimit) {
  return async (call: Call, refusalClass: RefusalClass, detail: string, session?: RefusedSession): Promise<never> => {
    audit.refuse(call, refusalEvent(refusalClass, detail, session));
    if (refusalClass === 'malformed') await limit.countFailure(call);
    throw refreshRefusal(refusalClass, detail);
  };
}
