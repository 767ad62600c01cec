// The authentication of a session's user: when, and by which methods. Types and pure functions.

/** The methods of RFC 8176 that a session can have, in the order of storage and claims. */
const METHODS = ['pwd', 'otp', 'hwk', 'swk', 'user', 'mfa'] as const;

/**
 * `otp`: a TOTP or recovery code. `hwk`: a passkey that cannot be backed up. `swk`: another passkey. `user`: the passkey verified the
 * user. `mfa`: two factors.
 */
export type AuthenticationMethod = (typeof METHODS)[number];

export interface Authentication {
  /** The time of the last one, Unix milliseconds. */
  readonly authenticatedAt: number;
  readonly methods: readonly AuthenticationMethod[];
}

/** The authentication of a login with a password alone. */
export const BY_PASSWORD: readonly AuthenticationMethod[] = ['pwd'];

/** Returns the methods in their order, each once. */
export function joinMethods(...lists: readonly (readonly AuthenticationMethod[])[]): readonly AuthenticationMethod[] {
  const all = new Set(lists.flat());
  return METHODS.filter((method) => all.has(method));
}

/** Reads methods from texts. Unknown ones are left out. */
export function readMethods(names: readonly unknown[]): readonly AuthenticationMethod[] {
  return METHODS.filter((method) => names.includes(method));
}
