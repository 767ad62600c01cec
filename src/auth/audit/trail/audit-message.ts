// The message of an audit record.
import type { AuditRecord as Message } from '../../../../proto/gen/authservice/audit/v1/audit_service.ts';
import { AUDIT_RECORD, type ShownAuditRecord } from './audit-store.ts';

/** Converts a record to its message. The cause is left out if the account acted itself. */
export function auditRecordMessage(record: ShownAuditRecord): Message {
  return { ...AUDIT_RECORD.toMessage(record), causedBy: causeOf(record) };
}

/** Returns a record as JSON shows it, in REST, in messages to webhooks and in exports. */
export function auditRecordJson(record: ShownAuditRecord) {
  const { tenantId, accountId, username, actorId, sessionId } = record;
  const causedBy = causeOf(record);
  return {
    id: record.id,
    ...(tenantId !== undefined && { tenantId }),
    at: new Date(record.at).toISOString(),
    event: record.event,
    ...(accountId !== undefined && { accountId }),
    ...(username !== undefined && { username }),
    ...(actorId !== undefined && { actorId }),
    ...(causedBy && { causedBy }),
    clientAddress: record.clientAddress,
    requestId: record.requestId,
    ...(sessionId !== undefined && { sessionId }),
    details: JSON.parse(record.details) as unknown,
  };
}

/** Returns the account that caused a record, if it is another one than the record concerns. */
export function causeOf({ accountId, actorId: id, actorUsername: username }: ShownAuditRecord) {
  return id === undefined || id === accountId ? undefined : { id, username };
}
