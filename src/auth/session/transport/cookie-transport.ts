// The refresh-token transport of Profile A: an opaque token in a cookie. The idle window restarts at each refresh.
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { decodeBase64 } from '../../../platform/formats/base64.ts';
import { refreshCookieName, type CookieNaming } from '../../../platform/formats/names.ts';
import {
  newSelector,
  type IssuedRefreshToken,
  type RefreshToken,
  type RotationMode,
  type TransportPolicy,
} from './transport-policy.ts';

/** The lifetimes of sessions and the name of their cookie. */
export interface CookiePolicy {
  readonly cookie: CookieNaming;
  readonly rotationMode: RotationMode;
  /** Milliseconds, like all durations in this interface. */
  readonly accessTokenTtlMs: number;
  /** Idle window and cookie lifetime of a session that survives closing the browser. */
  readonly idleWindowMs: number;
  /** Idle window of a session whose cookie ends when the browser closes. */
  readonly browserIdleWindowMs: number;
  /** Maximum lifetime, counted from the login. */
  readonly absoluteLifetimeMs: number | undefined;
}

export function createCookieTransport(policy: CookiePolicy, credentials: OpaqueRefreshTokens): TransportPolicy {
  const { cookie, rotationMode, accessTokenTtlMs, absoluteLifetimeMs } = policy;
  return {
    stored: 'COOKIE',
    rotationMode,
    accessTokenTtlMs,
    absoluteLifetimeMs,
    emailOf: ({ email }) => email,
    idleWindowMs: (rememberMe) => (rememberMe ? policy.idleWindowMs : policy.browserIdleWindowMs),
    issue: async (_session, generation, selector) => credentials.issue(generation, selector),
    parse: async (value) => credentials.parse(value),
    carry: (value, { rememberMe, remainingMs, listedOrigin }) => ({
      refreshCookie: {
        name: refreshCookieName(cookie, listedOrigin),
        value,
        ...(rememberMe && { maxAge: Math.floor(remainingMs / 1000) }),
      },
    }),
  };
}

/**
 * Refresh tokens of the form `selector.generation.verifier.mac`. The MAC authenticates the other three parts. So forged
 * tokens are refused without a query, and replays are recognised however old they are. The database needs only one row
 * per session and the hash of the current verifier.
 */
interface OpaqueRefreshTokens {
  /** Creates the token of a generation. Without a selector, it is the token of a new session. */
  issue(generation: number, selector?: Buffer): IssuedRefreshToken;
  /** Parses a token. Returns undefined unless the text is exactly a token that this service has issued. */
  parse(value: string): RefreshToken | undefined;
}

const VERIFIER_BYTES = 32;
const FORMAT = /^([\w-]{22})\.([1-9]\d{0,8})\.([\w-]{43})\.([\w-]{43})$/;

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
