import { errors } from 'jose';
import { ServiceError } from '../errors.ts';
import type { AccessTokenClaims, AccessTokens } from './access-token.ts';

/** What verification makes of a token. */
export type AccessTokenFindings =
  /** Ours; `expired` where nothing but its end speaks against it. */
  | { readonly kind: 'genuine'; readonly claims: AccessTokenClaims; readonly expired: boolean }
  /** Not ours, or not an access token; nothing that it claims counts. */
  | { readonly kind: 'rejected'; readonly detail: string };

/** Verifies a token like any call does, and tells one that has expired from one that never was good. */
export async function inspectAccessToken(
  tokens: Pick<AccessTokens, 'decode' | 'verify'>,
  token: string,
): Promise<AccessTokenFindings> {
  try {
    return { kind: 'genuine', claims: await tokens.verify(token), expired: false };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // The end is what jose looks at last.
    if (error.cause instanceof errors.JWTExpired)
      return { kind: 'genuine', claims: tokens.decode(token), expired: true };
    return { kind: 'rejected', detail: wordsOf(error.cause) ?? error.message };
  }
}

function wordsOf(cause: unknown): string | undefined {
  if (cause instanceof errors.JWSSignatureVerificationFailed) return 'the signature is not that of the named key';
  if (!(cause instanceof errors.JWTClaimValidationFailed)) return undefined;
  const { claim, reason } = cause;
  return reason === 'missing' ? `the token lacks ${claim}` : `the token's ${claim} is not what it must be`;
}
