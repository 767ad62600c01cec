import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const USABLE = /^[\w.:-]{1,64}$/;

/** The client's own X-Request-Id where it is usable, else a new UUID. */
export function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const own = headers['x-request-id'];
  return typeof own === 'string' && USABLE.test(own) ? own : randomUUID();
}
