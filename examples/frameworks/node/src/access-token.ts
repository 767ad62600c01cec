// The check of an access token, for any framework.

// snippet:start caller
/** The account of an access token. */
export interface Caller {
  readonly sub: string;
  readonly tenantId?: string;
  readonly roles: readonly string[];
  /** The permissions, separated by spaces. Only introspection returns them. */
  readonly scope?: string;
}

/** Resolves with the account of a token, or undefined for an invalid token. Rejects if the check is impossible. */
export type Check = (token: string) => Promise<Caller | undefined>;

/** Resolves with the account of an Authorization header, or with the status of the refusal. */
export async function authenticate(check: Check, authorization: string | undefined): Promise<Caller | 401 | 503> {
  const [, token] = /^bearer ([^ ]+)$/i.exec(authorization ?? '') ?? [];
  if (token === undefined) return 401;
  try {
    return (await check(token)) ?? 401;
  } catch (error) {
    // The token may be valid, so never return 401.
    console.error(error);
    return 503;
  }
}

export const hasRole = (role: string) => (caller: Caller) => caller.roles.includes(role);

export const hasPermission = (permission: string) => (caller: Caller) =>
  caller.scope?.split(' ').includes(permission) ?? false;
// snippet:end
