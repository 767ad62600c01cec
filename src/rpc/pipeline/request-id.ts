import { randomUUID } from 'node:crypto';

const USABLE = /^[\w.:-]{1,64}$/;

/** Whether an id may stand in logs and headers as it is. */
export function isRequestId(id: string | undefined): id is string {
  return id !== undefined && USABLE.test(id);
}

/** The caller's id where it is usable, else a new one. */
export function requestIdFrom(id: string | undefined): string {
  return isRequestId(id) ? id : randomUUID();
}
