// The headers in which a reverse proxy passes the authenticated account to the service behind it.
import { flattenRoles, type Account } from '../../principal/account.ts';

export interface IdentityHeader {
  readonly name: string;
  readonly value: string;
}

/** All header names, so that a proxy can remove those that a client has sent. */
export const IDENTITY_HEADERS = [
  'Remote-User',
  'Remote-Name',
  'Remote-Email',
  'Remote-Groups',
  'X-Auth-Subject',
  'X-Auth-Tenant',
] as const;

const VALUES: Readonly<Record<(typeof IDENTITY_HEADERS)[number], (account: Account) => string | undefined>> = {
  'Remote-User': ({ username }) => username,
  'Remote-Name': ({ name }) => name,
  'Remote-Email': ({ email }) => email,
  'Remote-Groups': ({ roles }) => flattenRoles(roles).join(','),
  'X-Auth-Subject': ({ id }) => id,
  'X-Auth-Tenant': ({ tenantId }) => tenantId,
};

/** Returns the headers of an account. Headers without a value are left out. */
export function identityHeaders(account: Account): IdentityHeader[] {
  return IDENTITY_HEADERS.flatMap((name) => {
    const value = VALUES[name](account);
    return value === undefined || value === '' ? [] : [{ name, value: toHeaderValue(value) }];
  });
}

/**
 * Servers and languages agree only about printable ASCII. Leading and trailing spaces are not part of a header's value.
 */
const UNSAFE = /[^\x20-\x7e]+|%|^ +| +$/g;

/** Percent-encodes characters that a header cannot carry. decodeURIComponent and similar functions restore the text. */
export function toHeaderValue(text: string): string {
  return text.toWellFormed().replace(UNSAFE, encodeURIComponent);
}
