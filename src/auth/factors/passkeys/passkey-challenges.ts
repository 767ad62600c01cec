// Challenges of WebAuthn ceremonies. They are not stored: each carries its expiry and a MAC over its purpose and the session,
// the login challenge or the browser origin that it is bound to. A used one is recorded, so that it counts once.
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import { decodeBase64 } from '../../../platform/formats/base64.ts';

/** The ceremony that a challenge is for. */
export type PasskeyPurpose = 'login' | 'second-factor' | 'enrolment' | 'registration' | 'confirmation';

/** What a challenge is valid for. */
export interface PasskeyContext {
  readonly purpose: PasskeyPurpose;
  /** The id of the session or of the login challenge, or the browser origin of a login. */
  readonly boundTo: string;
}

/** A valid challenge. */
export interface PasskeyChallenge {
  /** The hash by which its use is recorded. */
  readonly hash: Buffer;
  readonly expiresAt: number;
}

export type PasskeyChallenges = ReturnType<typeof createPasskeyChallenges>;

/** How long a person has for a ceremony. */
export const CEREMONY_MS = 300_000;

const NONCE_BYTES = 16;
const EXPIRY_BYTES = 6;
const MAC_BYTES = 32;
const BODY_BYTES = NONCE_BYTES + EXPIRY_BYTES;

/** @param macKey 32 random bytes, shared by all processes of the deployment. */
export function createPasskeyChallenges({ macKey, clock }: { readonly macKey: Uint8Array; readonly clock: Clock }) {
  const macOf = (body: Uint8Array, { purpose, boundTo }: PasskeyContext) =>
    createHmac('sha256', macKey).update(body).update(`${purpose}\0${boundTo}`).digest();

  return {
    /** Creates a challenge. */
    create(context: PasskeyContext): Buffer {
      const body = Buffer.concat([randomBytes(NONCE_BYTES), Buffer.alloc(EXPIRY_BYTES)]);
      body.writeUIntBE(clock() + CEREMONY_MS, NONCE_BYTES, EXPIRY_BYTES);
      return Buffer.concat([body, macOf(body, context)]);
    },

    /** Returns a challenge in base64url that is valid in this context; undefined if it is forged, of another context or expired. */
    read(text: string, context: PasskeyContext): PasskeyChallenge | undefined {
      const bytes = decodeBase64(text, 'base64url');
      if (bytes?.length !== BODY_BYTES + MAC_BYTES) return undefined;
      const body = bytes.subarray(0, BODY_BYTES);
      if (!timingSafeEqual(bytes.subarray(BODY_BYTES), macOf(body, context))) return undefined;
      const expiresAt = body.readUIntBE(NONCE_BYTES, EXPIRY_BYTES);
      return clock() < expiresAt ? { hash: hash('sha256', bytes, 'buffer'), expiresAt } : undefined;
    },
  };
}
