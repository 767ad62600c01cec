// JWTs that only this deployment reads: HS256 (RFC 7518 section 3.2) with their own secret key.
import type { JWTPayload } from 'jose';
import * as errors from 'jose/errors';
import { SignJWT } from 'jose/jwt/sign';
import { jwtVerify } from 'jose/jwt/verify';
import { decodeBase64 } from '../../platform/formats/base64.ts';

export type SecretJwts = Awaited<ReturnType<typeof createSecretJwts>>;

const ALGORITHM = 'HS256';
const SIGNATURE_BYTES = 32;
// Longer than any token of this service. Prevents decoding very large texts.
const MAX_LENGTH = 4_096;

export async function createSecretJwts(options: {
  /** 32 random bytes, shared by all processes of the deployment. */
  readonly key: Uint8Array;
  /** Header `typ`, which distinguishes these tokens from all others (RFC 8725 section 3.11). */
  readonly type: string;
  /** Issuer and audience of new tokens. */
  readonly issuer: string;
  /** Further issuers and audiences of valid tokens. Default: none. */
  readonly otherIssuers?: readonly string[];
}) {
  const { type, issuer, otherIssuers = [] } = options;
  const issuers = [issuer, ...otherIssuers];
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', Buffer.from(options.key), hmac, false, ['sign', 'verify']);
  const beginning = new Date(0);
  const checks = { algorithms: [ALGORITHM], typ: type, issuer: issuers, audience: issuers, currentDate: beginning };

  return {
    /** Signs claims and adds iss and aud. Times are Unix seconds. */
    sign: (claims: JWTPayload) =>
      new SignJWT({ ...claims, iss: issuer, aud: issuer }).setProtectedHeader({ alg: ALGORITHM, typ: type }).sign(key),

    /**
     * Returns the claims of a token signed by `sign`; undefined for any other text or another encoding of such a token.
     * Does not check the expiry: the caller does, so that it can distinguish an expired token from a forged one.
     */
    async read(token: string): Promise<JWTPayload | undefined> {
      if (!isCanonical(token)) return undefined;
      try {
        return (await jwtVerify(token, key, checks)).payload;
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined;
        throw error;
      }
    },
  };
}

// The signature covers the encoding of header and payload. Only the encoding of the signature itself needs a check.
function isCanonical(token: string): boolean {
  const signature = token.length <= MAX_LENGTH ? /^[\w-]+\.[\w-]+\.([\w-]+)$/.exec(token)?.[1] : undefined;
  if (signature === undefined) return false;
  return decodeBase64(signature, 'base64url')?.length === SIGNATURE_BYTES;
}
