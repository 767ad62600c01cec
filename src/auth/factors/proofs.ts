// What the proofs of a user say about its session. Pure functions.
import { joinMethods, type AuthenticationMethod } from '../access/authentication.ts';

/** A right password, a right code, or the use of a passkey. */
export type Proof =
  | { readonly kind: 'password' | 'totp' | 'recovery-code' | 'access-code' }
  | {
      readonly kind: 'passkey';
      readonly backupEligible: boolean;
      readonly backedUp: boolean;
      readonly userVerified: boolean;
    };

/**
 * Returns the methods of a session after further proofs. Two different factors are `mfa`, and so is a passkey that has verified its
 * user.
 *
 * @param earlier The methods that the session had before.
 */
export function provenMethods(
  proofs: readonly Proof[],
  earlier: readonly AuthenticationMethod[] = [],
): readonly AuthenticationMethod[] {
  const proven = joinMethods(earlier, ...proofs.map(methodsOf));
  const has = (method: AuthenticationMethod) => proven.includes(method);
  const hasKey = has('hwk') || has('swk');
  const factors = [has('pwd'), has('otp'), hasKey, hasKey && has('user')].filter(Boolean).length;
  return factors > 1 ? joinMethods(proven, ['mfa']) : proven;
}

function methodsOf(proof: Proof): readonly AuthenticationMethod[] {
  if (proof.kind === 'password') return ['pwd'];
  // It proves nothing that the user has or knows beside the password.
  if (proof.kind === 'access-code') return [];
  if (proof.kind !== 'passkey') return ['otp'];
  const isCopyable = proof.backupEligible || proof.backedUp;
  return [isCopyable ? 'swk' : 'hwk', ...(proof.userVerified ? (['user'] as const) : [])];
}
