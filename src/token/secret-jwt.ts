// JWTs that nobody but this deployment reads: HS256 (RFC 7518 section 3.2) under a secret key of their own.
import { errors, jwtVerify, SignJWT, type JWTPayload } from 'jose';
import { decodeBase64 } from '../formats/base64.ts';

export interface SecretJwts {
  /** Signs claims beside iss and aud. Times in them are Unix seconds. */
  sign(claims: JWTPayload): Promise<string>;
  /**
   * The claims of a token that this signed; undefined for any other text, also for another spelling of such a token. Its
   * time is the caller's to judge, who can tell an expired token from a forged one that way.
   */
  read(token: string): Promise<JWTPayload | undefined>;
}

const ALGORITHM = 'HS256';
const SIGNATURE_BYTES = 32;
// Longer than any token of ours; refuses to decode megabytes.
const MAX_LENGTH = 4_096;

export async function createSecretJwts(options: {
  /** 32 random bytes that every process of the deployment shares. */
  readonly key: Uint8Array;
  /** Header `typ`: what keeps these tokens apart from all others (RFC 8725 section 3.11). */
  readonly type: string;
  /** Who signs and, nobody else being able to, reads them. */
  readonly issuer: string;
}): Promise<SecretJwts> {
  const { type, issuer } = options;
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', Buffer.from(options.key), hmac, false, ['sign', 'verify']);
  const beginning = new Date(0);
  const checks = { algorithms: [ALGORITHM], typ: type, issuer, audience: issuer, currentDate: beginning };

  return {
    sign: (claims) =>
      new SignJWT({ ...claims, iss: issuer, aud: issuer }).setProtectedHeader({ alg: ALGORITHM, typ: type }).sign(key),

    async read(token) {
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

// The signature covers the spelling of header and payload, so only its own spelling is left to check.
function isCanonical(token: string): boolean {
  const signature = token.length <= MAX_LENGTH ? /^[\w-]+\.[\w-]+\.([\w-]+)$/.exec(token)?.[1] : undefined;
  if (signature === undefined) return false;
  return decodeBase64(signature, 'base64url')?.length === SIGNATURE_BYTES;
}
