// The refresh token of Profile A: `selector.generation.verifier.mac`, opaque to the client. The MAC authenticates the
// other three parts. So forged tokens are refused without a query, and replays are recognised however old they are. The
// database needs only one row per session and the hash of the current verifier.
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { decodeBase64 } from '../../../platform/formats/base64.ts';

export interface RefreshToken {
  /** Identifies the session in the database. Random, so it reveals nothing and cannot be guessed. */
  readonly selector: Buffer;
  /** 1 at login, increased by 1 at each refresh. */
  readonly generation: number;
  readonly verifierHash: Buffer;
}

export interface IssuedRefreshToken extends RefreshToken {
  /** The text that the client keeps; a secret. */
  readonly value: string;
}

export interface OpaqueRefreshTokens {
  /** Creates the token of a generation. Without a selector, it is the token of a new session. */
  issue(generation: number, selector?: Buffer): IssuedRefreshToken;
  /** Parses a token. Returns undefined unless the text is exactly a token that this service has issued. */
  parse(value: string): RefreshToken | undefined;
}

const SELECTOR_BYTES = 16;
const VERIFIER_BYTES = 32;
const FORMAT = /^([\w-]{22})\.([1-9]\d{0,8})\.([\w-]{43})\.([\w-]{43})$/;

/** Creates the selector of a new session. */
export function newSelector(): Buffer {
  return randomBytes(SELECTOR_BYTES);
}

/** @param macKey 32 random bytes, shared by all processes of the deployment. */
export function createOpaqueRefreshTokens(macKey: Uint8Array): OpaqueRefreshTokens {
  const computeMac = (text: string) => createHmac('sha256', macKey).update(text).digest();

  return {
    issue(generation, selector = newSelector()) {
      const verifier = randomBytes(VERIFIER_BYTES);
      const body = `${selector.toString('base64url')}.${generation}.${verifier.toString('base64url')}`;
      const value = `${body}.${computeMac(body).toString('base64url')}`;
      return { value, selector, generation, verifierHash: hashOf(verifier) };
    },
    parse(value) {
      const parts = FORMAT.exec(value);
      if (!parts) return undefined;
      const [, selectorText, generationText, verifierText, macText] = parts as unknown as [
        string,
        string,
        string,
        string,
        string,
      ];
      const mac = decodeBase64(macText, 'base64url');
      const selector = decodeBase64(selectorText, 'base64url');
      const verifier = decodeBase64(verifierText, 'base64url');
      if (!mac || !selector || !verifier) return undefined;
      if (!timingSafeEqual(mac, computeMac(value.slice(0, value.lastIndexOf('.'))))) return undefined;
      return { selector, generation: Number(generationText), verifierHash: hashOf(verifier) };
    },
  };
}

function hashOf(verifier: Buffer): Buffer {
  return hash('sha256', verifier, 'buffer');
}
