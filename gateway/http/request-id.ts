import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const USABLE = /^[\w.:-]{1,64}$/;

/** Returns the client's X-Request-Id if it is valid, else a new UUID. */
export function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const received = headers['x-request-id'];
  return typeof received === 'string' && USABLE.test(received) ? received : randomUUID();
}
