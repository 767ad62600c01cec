// The headers by which a reverse proxy tells the service behind it who sends a request.
import { flattenRoles, type Account } from '../../principal/account.ts';

export interface IdentityHeader {
  readonly name: string;
  readonly value: string;
}

/** All names, so that a proxy can remove those that a client has sent. */
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

/** The headers of an account, each only if it has a value. */
export function identityHeaders(account: Account): IdentityHeader[] {
  return IDENTITY_HEADERS.flatMap((name) => {
    const value = VALUES[name](account);
    return value === undefined || value === '' ? [] : [{ name, value: toHeaderValue(value) }];
  });
}

/** Servers and languages disagree about everything but printable ASCII; spaces at either end are not part of a header's value. */
const UNSAFE = /[^\x20-\x7e]+|%|^ +| +$/g;

/** Percent-encodes what a header cannot carry; decodeURIComponent and its like return the text. */
export function toHeaderValue(text: string): string {
  return text.toWellFormed().replace(UNSAFE, encodeURIComponent);
}
