// The body of a delivery: type, time and data of an event.
import type { AuditRecord } from '../audit/export/follow-records.ts';

/** Standard Webhooks recommends at most 20 kB. */
const MAX_BYTES = 20_000;

/** Returns a body as JSON. */
export function bodyOf(type: string, at: number, data: unknown): string {
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
}

/** Returns the body of an audit record, whose members are those of GET /audit-records. A record that is too long loses its details. */
export function recordBody(record: AuditRecord): string {
  const { tenantId, accountId, username, actorId, details, at } = record;
  const data = {
    id: record.id,
    ...(tenantId !== undefined && { tenantId }),
    at: new Date(at).toISOString(),
    event: record.event,
    ...(accountId !== undefined && { accountId }),
    ...(username !== undefined && { username }),
    ...(actorId !== undefined && { actorId }),
    clientAddress: record.clientAddress,
    requestId: record.requestId,
  };
  const body = bodyOf(record.event, at, { ...data, details: JSON.parse(details) as unknown });
  if (Buffer.byteLength(body) <= MAX_BYTES) return body;
  return bodyOf(record.event, at, { ...data, details: {}, detailsOmitted: true });
}
