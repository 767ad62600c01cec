// Proof key for code exchange (RFC 7636), by S256 alone.
import { createHash, timingSafeEqual } from 'node:crypto';

/** Base64url of a SHA-256. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** Whether a text can be a challenge (RFC 7636 section 4.2). */
export const isChallenge = (text: string): boolean => CHALLENGE.test(text);

/** Whether a verifier is that of a challenge (RFC 7636 section 4.6). */
export function isVerifierOf(verifier: string, challenge: string): boolean {
  if (!VERIFIER.test(verifier) || !isChallenge(challenge)) return false;
  const computed = createHash('sha256').update(verifier).digest('base64url');
  return timingSafeEqual(Buffer.from(computed), Buffer.from(challenge));
}
