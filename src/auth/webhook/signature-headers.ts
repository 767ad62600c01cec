import { createHmac } from 'node:crypto';

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
 * Returns the headers of a message with a signature by each of the secrets (`whsec_…`): several while one replaces others.
 * Standard Webhooks 1.0, symmetric signatures.
 */
export function signatureHeaders(
  secrets: readonly string[],
  { id, sentAt, body }: SignedMessage,
): Record<string, string> {
  const timestamp = String(Math.floor(sentAt / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
