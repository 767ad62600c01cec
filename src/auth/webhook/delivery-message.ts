// What a receiver gets: a body with type, time and data of an event, and headers that sign it (Standard Webhooks 1.0).
import { createHmac } from 'node:crypto';
import { auditRecordJson, type AuditRecord } from '../audit/export/follow-records.ts';

/** The type of tests, which no webhook names. */
export const TEST_EVENT = 'webhook.test';

/** The type of heads of the audit trail, which are not records. */
export const SEALED_EVENT = 'audit.sealed';

/** Standard Webhooks recommends at most 20 kB. */
const MAX_BYTES = 20_000;

/** Returns a body as JSON. */
export function bodyOf(type: string, at: number, data: unknown): string {
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
}

/** Returns the body of an audit record, whose members are those of GET /audit-records. A record that is too long loses its details. */
export function recordBody(record: AuditRecord): string {
  const data = auditRecordJson(record);
  const body = bodyOf(record.event, record.at, data);
  if (Buffer.byteLength(body) <= MAX_BYTES) return body;
  return bodyOf(record.event, record.at, { ...data, details: {}, detailsOmitted: true });
}

/** The prefix of a secret: Base64 follows. */
const PREFIX = 'whsec_';

/** A message to a webhook's receiver. */
export interface SignedMessage {
  /** The same at each attempt, so that receivers can recognise a message that came twice. */
  readonly id: string;
  /** When this attempt is made, in ms. Receivers refuse what is old. */
  readonly sentAt: number;
  readonly body: Buffer;
}

/**
 * Returns the headers of a request with a signature by each of the secrets (`whsec_…`): several while one replaces others. Standard
 * Webhooks 1.0, symmetric signatures.
 */
export function requestHeaders(secrets: readonly string[], message: SignedMessage): Record<string, string> {
  const { id, sentAt, body } = message;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key)
      .update(`${id}.${timestampOf(sentAt)}.`)
      .update(body)
      .digest('base64')}`;
  });
  return headersOf(message, signatures.join(' '));
}

/** Returns the headers of a request that was sent, without its signature. */
export const maskedHeaders = (message: Pick<SignedMessage, 'id' | 'sentAt'>) => headersOf(message, 'v1,***');

function headersOf({ id, sentAt }: Pick<SignedMessage, 'id' | 'sentAt'>, signature: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'authservice',
    'webhook-id': id,
    'webhook-timestamp': timestampOf(sentAt),
    'webhook-signature': signature,
  };
}

const timestampOf = (sentAt: number): string => String(Math.floor(sentAt / 1000));
