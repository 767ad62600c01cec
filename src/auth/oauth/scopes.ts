/** All scopes, in the order in which responses name them. Others are ignored (RFC 6749 section 3.3). */
export const SCOPES = ['openid', 'profile', 'email', 'roles', 'groups', 'tenant', 'offline_access'] as const;
export type Scope = (typeof SCOPES)[number];

/** Returns the scopes of a text that are among `allowed`, each once, in their order. */
export function readScopes(text: string | undefined, allowed: readonly Scope[] = SCOPES): readonly Scope[] {
  const asked = new Set((text ?? '').split(' '));
  return SCOPES.filter((scope) => asked.has(scope) && allowed.includes(scope));
}
