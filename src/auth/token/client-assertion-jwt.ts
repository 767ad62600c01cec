// The signatures of client assertions (RFC 7523 section 2.2): JWTs that applications sign with their own keys.
import type { KeyObject } from 'node:crypto';
import type { JWTPayload } from 'jose';
import * as errors from 'jose/errors';
import { decodeJwt } from 'jose/jwt/decode';
import { jwtVerify } from 'jose/jwt/verify';

/** Longer than any assertion with the largest key. Prevents decoding very large texts. */
export const MAX_ASSERTION_LENGTH = 8_192;
/** How far an assertion can be from the clock of this service. */
export const CLOCK_TOLERANCE_SECONDS = 60;
const ALGORITHMS = ['ES256', 'EdDSA', 'Ed25519', 'RS256', 'PS256'];

/** Returns the claims of an assertion before its signature is checked; undefined if it is not a JWT. */
export function decodeAssertion(assertion: string): JWTPayload | undefined {
  if (assertion.length > MAX_ASSERTION_LENGTH) return undefined;
  try {
    return decodeJwt(assertion);
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

/** The header of an assertion, as far as it chooses the key. */
export interface AssertionHeader {
  readonly kid?: string | undefined;
  readonly alg: string;
}

type VerifiedAssertion =
  | { readonly kind: 'genuine'; readonly claims: JWTPayload; readonly kid: string | undefined }
  | { readonly kind: 'rejected'; readonly detail: string };

/**
 * Checks the signature of an assertion, and roughly its times. The caller checks its claims.
 *
 * @param findKey Returns the public key that the header chooses, and that fits its algorithm.
 * @param now Unix milliseconds.
 */
export async function verifyAssertion(
  assertion: string,
  findKey: (header: AssertionHeader) => KeyObject | undefined,
  now: number,
): Promise<VerifiedAssertion> {
  if (assertion.length > MAX_ASSERTION_LENGTH) return { kind: 'rejected', detail: 'the assertion is too long' };
  try {
    const { payload, protectedHeader } = await jwtVerify(
      assertion,
      ({ kid, alg }) => {
        const key = kid === undefined || typeof kid === 'string' ? findKey({ kid, alg }) : undefined;
        if (key === undefined) throw new errors.JWKSNoMatchingKey();
        return key;
      },
      { algorithms: ALGORITHMS, clockTolerance: CLOCK_TOLERANCE_SECONDS, currentDate: new Date(now) },
    );
    return { kind: 'genuine', claims: payload, kid: protectedHeader.kid };
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error;
    return { kind: 'rejected', detail: `the assertion failed verification: ${error.code}` };
  }
}
