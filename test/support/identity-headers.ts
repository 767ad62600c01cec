/** The identity headers of forward authentication, in lower case. */
export const IDENTITY_HEADER_NAMES: readonly string[] = [
  'remote-user',
  'remote-name',
  'remote-email',
  'remote-groups',
  'x-auth-subject',
  'x-auth-tenant',
  'x-auth-time',
  'x-auth-methods',
];
