// Recovery codes: the factor for users who have lost the other ones. Each code is valid once. Only its SHA-256 is stored,
// because codes are random.
import { hash, randomBytes } from 'node:crypto';
import { toBase32 } from '../../platform/formats/base32.ts';
import { normalizeCode } from '../../platform/formats/code.ts';

const COUNT = 10;
/** 120 bits: 24 characters in groups of four. From 112 bits on, a hash without a salt suffices. */
const BYTES = 15;
/** Earlier codes have 16 characters. */
const CANONICAL = /^[A-Z2-7]{16}(?:[A-Z2-7]{8})?$/;

/** Creates the codes of an account, as the user sees them. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: COUNT }, () => toBase32(randomBytes(BYTES)).replaceAll(/.{4}(?=.)/g, '$&-'));
}

/** Returns the SHA-256 of a code; undefined if the text is not a code. Case, blanks, hyphens and full width do not matter. */
export function recoveryCodeHash(text: string): Buffer | undefined {
  const canonical = normalizeCode(text.normalize('NFKC')).toUpperCase();
  return CANONICAL.test(canonical) ? hash('sha256', canonical, 'buffer') : undefined;
}
