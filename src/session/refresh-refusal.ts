import type { AuditContext, AuditEvent, AuditLog } from '../audit/audit-log.ts';
import { ServiceError } from '../errors.ts';
import type { SessionFamily } from './session-store.ts';

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
  family: SessionFamily | undefined,
): AuditEvent {
  const details = { class: refusalClass, reason: detail, ...(family && { sessionId: family.id }) };
  return { event: 'session.refresh-refused', tenantId: family?.tenantId, accountId: family?.accountId, details };
}

/** Refuses a refresh once the refusal is on record. */
export type RefuseRefresh = (
  context: AuditContext,
  refusalClass: RefusalClass,
  detail: string,
  family?: SessionFamily,
) => Promise<never>;

export function createRefuseRefresh(audit: AuditLog): RefuseRefresh {
  return async (context, refusalClass, detail, family) => {
    await audit.commit(context, async (_tx, record) => record(refusalEvent(refusalClass, detail, family)));
    throw refreshRefusal(refusalClass, detail);
  };
}
