// Time-based one-time passwords (RFC 6238): SHA-1, 6 digits, steps of 30 s. Pure functions, except newTotpSecret.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { toBase32 } from '../../platform/formats/base32.ts';

const STEP_MS = 30_000;
const DIGITS = 6;
/** 160 bits, as RFC 4226 section 4 recommends. */
const SECRET_BYTES = 20;
/** The steps around the current one whose codes are accepted: a clock can be off, and a code takes time to be sent. */
const TOLERATED_STEPS = [0, -1, 1];

export function newTotpSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/** Returns the number of the step at a time. */
export function totpStepAt(now: number): number {
  return Math.floor(now / STEP_MS);
}

/** Returns the code of a step (RFC 4226 section 5.3). */
export function totpCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const offset = digest.at(-1)! & 0x0f;
  const truncated = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(truncated % 10 ** DIGITS).padStart(DIGITS, '0');
}

/**
 * Returns the step whose code this is; undefined if the code is wrong, or its step was used before.
 *
 * @param lastStep The last step that the account has used.
 */
export function matchTotp(
  secret: Uint8Array,
  code: string,
  { now, lastStep = -Infinity }: { readonly now: number; readonly lastStep?: number | undefined },
): number | undefined {
  const presented = Buffer.from(code);
  const current = totpStepAt(now);
  const matching = TOLERATED_STEPS.map((difference) => current + difference).filter((step) => {
    const expected = Buffer.from(totpCode(secret, step));
    return presented.length === expected.length && timingSafeEqual(presented, expected);
  });
  return matching.find((step) => step > lastStep);
}

/** Returns the URI for authenticator apps, which they also read from a QR code. */
export function totpUri(
  secret: Uint8Array,
  { issuer, username }: { readonly issuer: string; readonly username: string },
) {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(username)}`;
  // Some apps show "+" as it is, so a blank is "%20".
  const parameters = `secret=${toBase32(secret)}&issuer=${encodeURIComponent(issuer)}`;
  return `otpauth://totp/${label}?${parameters}&algorithm=SHA1&digits=${DIGITS}&period=${STEP_MS / 1000}`;
}
