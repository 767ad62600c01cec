import { randomBytes } from 'node:crypto';
import {
  RefreshTokenTransport,
  type LoginResponse,
} from '../../../../proto/gen/authservice/session/v1/session_service.ts';
import type { Account } from '../../access/account.ts';
import type { Session, StoredTransport } from '../session.ts';

const SELECTOR_BYTES = 16;

/** Whether a refresh token can be used once, or also after the next one was issued. */
export type RotationMode = 'strict' | 'reusable';

/**
 * How refresh tokens reach the client: in a cookie (Profile A) or in the body (Profile B). Both use the same rotation.
 */
export interface TransportPolicy {
  /** The value stored in the session's row. */
  readonly stored: StoredTransport;
  readonly rotationMode: RotationMode;
  /** Milliseconds, like all durations in this interface. */
  readonly accessTokenTtlMs: number;
  /** Maximum lifetime, counted from the login. */
  readonly absoluteLifetimeMs: number | undefined;
  /** Returns the `email` claim of the access tokens. */
  emailOf(account: Account): string | undefined;
  /** Returns how long a session lives without a refresh, in milliseconds. */
  idleWindowMs(rememberMe: boolean): number;
  /** Creates the token of a generation. Without a selector, it is the token of a new session. */
  issue(session: SessionTerms, generation: number, selector?: Buffer): Promise<IssuedRefreshToken>;
  /**
   * Parses a token. Returns undefined unless the text is exactly a token of this transport that this service has
   * issued.
   */
  parse(value: string): Promise<PresentedRefreshToken | undefined>;
  /** Creates the part of a response that carries a token. */
  carry(value: string, terms: CarriageTerms): CarriedRefreshToken;
}

/** The data needed to send a token to the client. */
interface CarriageTerms {
  readonly rememberMe: boolean;
  /** Time until the session ends, in milliseconds. */
  readonly remainingMs: number;
  /** The origin of the client's page if the gateway's settings list it. */
  readonly listedOrigin: string | undefined;
}

/** The session fields that a token may contain. */
type SessionTerms = Pick<Session, 'id' | 'expiresAt'>;

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

/** Creates the selector of a new session. */
export function newSelector(): Buffer {
  return randomBytes(SELECTOR_BYTES);
}

export interface PresentedRefreshToken extends RefreshToken {
  /** When the token itself expires, Unix milliseconds; undefined if it carries no expiry. */
  readonly expiresAt?: number;
}

type CarriedRefreshToken = Pick<LoginResponse, 'refreshCookie' | 'refreshToken'>;

/** The transports by the name that a request gives them. */
export type TransportPolicies = Readonly<
  Record<'REFRESH_TOKEN_TRANSPORT_COOKIE' | 'REFRESH_TOKEN_TRANSPORT_BODY', TransportPolicy>
>;

/** Returns the transport that a validated request names. */
export function policyOf(transports: TransportPolicies, requested: RefreshTokenTransport): TransportPolicy {
  const isCookie = requested === RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_COOKIE;
  return isCookie ? transports.REFRESH_TOKEN_TRANSPORT_COOKIE : transports.REFRESH_TOKEN_TRANSPORT_BODY;
}

/** A refresh token that this service has issued, and its text. */
export interface PresentedValue {
  readonly token: PresentedRefreshToken;
  readonly value: string;
}

/**
 * Returns the different tokens that this service has issued. The others are ignored: another host of the same site can
 * set cookies of this name (RFC 6265 section 8.6).
 */
export async function issuedAmong(
  transport: Pick<TransportPolicy, 'parse'>,
  values: readonly string[],
): Promise<PresentedValue[]> {
  const issued: PresentedValue[] = [];
  for (const value of new Set(values)) {
    const token = await transport.parse(value);
    if (token) issued.push({ token, value });
  }
  return issued;
}
