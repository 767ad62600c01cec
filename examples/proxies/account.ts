import type { IncomingMessage } from 'node:http';

/** The account of the caller. A SUPER_ADMIN has no tenant. */
export interface Account {
  readonly id: string;
  readonly tenant: string | undefined;
  readonly roles: readonly string[];
}

/** Returns the account of a request, or undefined if a header is missing or was sent twice. Then respond with 401. */
export function accountOf({ headersDistinct }: Pick<IncomingMessage, 'headersDistinct'>): Account | undefined {
  const id = readOnce(headersDistinct['x-auth-subject']);
  const tenant = readOnce(headersDistinct['x-auth-tenant']);
  const groups = readOnce(headersDistinct['remote-groups']);
  if (!id || tenant === undefined || groups === undefined) return undefined;
  return { id, tenant: tenant || undefined, roles: groups.split(',').filter(Boolean) };
}

/** Returns '' if the header has no value, and undefined if it is missing, empty or was sent twice. */
function readOnce([value, ...others]: readonly string[] = []): string | undefined {
  if (!value || others.length > 0) return undefined;
  return value === '-' ? '' : decodeURIComponent(value);
}
