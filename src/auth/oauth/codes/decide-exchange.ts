// Decides on the presentation of an authorization code (OAuth 2.1 section 4.1.3). Pure.
import type { ApplicationType } from '../applications/application.ts';
import { isVerifierOf } from '../pkce.ts';

/** A stored code. */
export interface StoredCode {
  readonly applicationId: string;
  /** Undefined for the code of a device. */
  readonly redirectUri: string | undefined;
  readonly challenge: string | undefined;
  /** Unix milliseconds. */
  readonly expiresAt: number;
  readonly usedAt: number | undefined;
}

export interface ExchangeFacts {
  /** Undefined if no code is known by this text. */
  readonly code: StoredCode | undefined;
  /** The authenticated client. */
  readonly application: { readonly id: string; readonly type: ApplicationType };
  readonly redirectUri: string | undefined;
  readonly verifier: string | undefined;
  /** Why the account, its tenant, its session, its policy or the application refuses the grant now; undefined if nothing does. */
  readonly refusal: string | undefined;
  readonly now: number;
}

export type ExchangeDecision =
  /** Mark the code as used and store its grant, in one transaction. */
  | { readonly kind: 'redeem' }
  /** The code was used before: revoke its grant, then refuse (RFC 9700 section 4.5.2). */
  | { readonly kind: 'replay' }
  /** Refuse without a change. */
  | { readonly kind: 'refuse'; readonly detail: string };

/** What a caller without the verifier and the URI presents changes nothing, so that a stolen code cannot end a grant. */
export function decideExchange(facts: ExchangeFacts): ExchangeDecision {
  const { code, application, redirectUri, verifier, refusal, now } = facts;
  if (!code) return refuse('the code is unknown');
  if (code.redirectUri === undefined) return refuse('the code is one of a device');
  if (code.applicationId !== application.id) return refuse('the code was issued to another client');
  if (redirectUri === undefined ? application.type === 'WEB' : redirectUri !== code.redirectUri)
    return refuse('redirect_uri differs from that of the authorization request');
  if (code.challenge === undefined) {
    if (verifier !== undefined) return refuse('code_verifier was sent, but the authorization request had no challenge');
  } else if (verifier === undefined || !isVerifierOf(verifier, code.challenge)) {
    return refuse('code_verifier does not match the challenge');
  }
  if (code.usedAt !== undefined) return { kind: 'replay' };
  if (code.expiresAt <= now) return refuse('the code has expired');
  return refusal === undefined ? { kind: 'redeem' } : refuse(refusal);
}

const refuse = (detail: string): ExchangeDecision => ({ kind: 'refuse', detail });
