import { randomUUID } from 'node:crypto';

const USABLE = /^[\w.:-]{1,64}$/;

/** Whether an id can be used unchanged in logs and headers. */
export function isRequestId(id: string | undefined): id is string {
  return id !== undefined && USABLE.test(id);
}

/** Returns the caller's id if it is usable, else a new one. */
export function requestIdFrom(id: string | undefined): string {
  return isRequestId(id) ? id : randomUUID();
}
