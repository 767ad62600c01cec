import * as errors from 'jose/errors';
import { ServiceError } from '../../platform/errors.ts';
import type { AccessTokenClaims, AccessTokens } from './access-token.ts';

/** The result of verifying a token. */
export type AccessTokenFindings =
  /** The service has issued it. `expired` is true if it is invalid only because it has expired. */
  | { readonly kind: 'genuine'; readonly claims: AccessTokenClaims; readonly expired: boolean }
  /** Not issued by the service, or not an access token. Its claims cannot be trusted. */
  | { readonly kind: 'rejected'; readonly detail: string };

/** Verifies a token as every call does, and distinguishes an expired token from one that was never valid. */
export async function inspectAccessToken(
  tokens: Pick<AccessTokens, 'decode' | 'verify'>,
  token: string,
): Promise<AccessTokenFindings> {
  try {
    return { kind: 'genuine', claims: await tokens.verify(token), expired: false };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // jose checks the expiry last, so all other checks have passed.
    if (error.cause instanceof errors.JWTExpired)
      return { kind: 'genuine', claims: tokens.decode(token), expired: true };
    return { kind: 'rejected', detail: wordsOf(error.cause) ?? error.message };
  }
}

function wordsOf(cause: unknown): string | undefined {
  if (cause instanceof errors.JWSSignatureVerificationFailed) return 'the signature is not that of the named key';
  if (!(cause instanceof errors.JWTClaimValidationFailed)) return undefined;
  const { claim, reason } = cause;
  return reason === 'missing' ? `the token lacks ${claim}` : `the token's ${claim} has an invalid value`;
}
