// Client authentication by a key: private_key_jwt (RFC 7523 section 3).
import type { KeyObject } from 'node:crypto';
import { findClientKey } from '../applications/key-set.ts';
import { CLOCK_TOLERANCE_SECONDS, verifyAssertion, type AssertionHeader } from '../../token/client-assertion-jwt.ts';

/** How long an assertion can be used. */
const MAX_LIFETIME_SECONDS = 300;

/** What an assertion must be. */
export interface ExpectedAssertion {
  readonly clientId: string;
  /** The issuer, and the URLs of the endpoint. */
  readonly audiences: readonly string[];
  /** Unix milliseconds. */
  readonly now: number;
}

/** Returns why the claims of an assertion do not authenticate the client; undefined if they do. Pure. */
export function findClaimsProblem(
  { iss, sub, aud, exp, iat, nbf, jti }: Readonly<Record<string, unknown>>,
  { clientId, audiences, now }: ExpectedAssertion,
): string | undefined {
  const seconds = now / 1000;
  const isInFuture = (time: unknown): boolean =>
    time !== undefined && !(typeof time === 'number' && time <= seconds + CLOCK_TOLERANCE_SECONDS);
  if (iss !== clientId || sub !== clientId) return 'iss and sub of the assertion must be the client id';
  // A list could name another server, which could then use the assertion here (RFC 9700 section 4.9).
  if (typeof aud !== 'string' || !audiences.includes(aud))
    return "aud of the assertion must be one text, the issuer or the endpoint's URL";
  if (typeof exp !== 'number') return 'the assertion lacks exp';
  if (!(exp > seconds)) return 'the assertion has expired';
  if (exp > seconds + MAX_LIFETIME_SECONDS) return `exp of the assertion is more than ${MAX_LIFETIME_SECONDS} s ahead`;
  if (isInFuture(iat)) return 'the assertion was issued in the future';
  if (isInFuture(nbf)) return 'the assertion is not valid yet';
  return typeof jti === 'string' && jti !== '' ? undefined : 'the assertion lacks jti';
}

/** An assertion that authenticates its client, once. */
export interface UsableAssertion {
  readonly jti: string;
  readonly kid: string | undefined;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

/** The result of the check of an assertion. */
export type AssertionOutcome =
  | { readonly kind: 'right'; readonly assertion: UsableAssertion }
  | { readonly kind: 'wrong'; readonly detail: string };

/** Checks the signature and the claims of an assertion. Whether it was used before, is checked elsewhere. */
export async function checkAssertion(
  assertion: string,
  jwks: string | undefined,
  { clientId, audiences, now }: ExpectedAssertion,
): Promise<AssertionOutcome> {
  const findKey = (header: AssertionHeader): KeyObject | undefined =>
    jwks === undefined ? undefined : findClientKey(jwks, header);
  const verified = await verifyAssertion(assertion, findKey, now);
  if (verified.kind === 'rejected') return { kind: 'wrong', detail: verified.detail };
  const { claims, kid } = verified;
  const detail = findClaimsProblem(claims, { clientId, audiences, now });
  if (detail !== undefined) return { kind: 'wrong', detail };
  return { kind: 'right', assertion: { jti: claims.jti!, kid, expiresAt: Math.ceil(claims.exp! * 1000) } };
}
