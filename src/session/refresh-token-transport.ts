import { CredentialForm, type LoginResponse } from '../../proto/gen/authservice/session/v1/session_service.ts';
import type { Account } from '../principal/account.ts';
import type { IssuedRefreshCredential, RefreshCredential } from './refresh-credential.ts';
import type { RotationMode } from './rotation.ts';
import type { SessionFamily, StoredForm } from './session-family.ts';

/** What depends on how the client keeps its refresh credential: one for each profile, on the same engine. */
export interface RefreshTokenTransport {
  /** What a family of this form is stored as. */
  readonly stored: StoredForm;
  readonly rotationMode: RotationMode;
  /** Milliseconds, like all durations here. */
  readonly accessTokenTtlMs: number;
  /** Cap counted from the login. */
  readonly absoluteLifetimeMs: number | undefined;
  /** The `email` claim of the access tokens. */
  emailOf(account: Account): string | undefined;
  /** How long a session lives without a refresh. */
  idleWindowMs(rememberMe: boolean): number;
  /** Makes the credential of a generation; without a selector that of a new family. */
  issue(family: FamilyTerms, generation: number, selector?: Buffer): Promise<IssuedRefreshCredential>;
  /** Reads a credential; undefined unless the text is, to the letter, one of this form that this service has issued. */
  parse(value: string): Promise<PresentedRefreshCredential | undefined>;
  /** The part of a reply that carries a credential. */
  carry(value: string, terms: CarriageTerms): CarriedCredential;
}

/** How a credential goes to the client. */
export interface CarriageTerms {
  readonly rememberMe: boolean;
  /** Until its family ends, in milliseconds. */
  readonly remainingMs: number;
  /** The origin of the client's page if the gateway's settings list it. */
  readonly listedOrigin: string | undefined;
}

/** What a credential may say of its family. */
export type FamilyTerms = Pick<SessionFamily, 'id' | 'expiresAt'>;

export interface PresentedRefreshCredential extends RefreshCredential {
  /** When it ends by itself, Unix milliseconds, where it says so. */
  readonly expiresAt?: number;
}

export type CarriedCredential = Pick<LoginResponse, 'refreshCookie' | 'refreshToken'>;

/** The forms by the name that a request gives them. */
export type RefreshTokenTransports = Readonly<
  Record<'CREDENTIAL_FORM_COOKIE' | 'CREDENTIAL_FORM_BODY', RefreshTokenTransport>
>;

/** The form that a checked request names. */
export function transportOf(forms: RefreshTokenTransports, requested: CredentialForm): RefreshTokenTransport {
  const isCookie = requested === CredentialForm.CREDENTIAL_FORM_COOKIE;
  return isCookie ? forms.CREDENTIAL_FORM_COOKIE : forms.CREDENTIAL_FORM_BODY;
}
