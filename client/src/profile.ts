import type { Grant } from './access-token.ts';
import type { ApiError } from './api-error.ts';
import type { Send } from './caller.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
  /** Profile A: whether the session outlives the browser. Default false. */
  readonly rememberMe?: boolean;
}

/** A passkey that logs in alone. `getPasskey` of `authservice-client/factors` returns it. */
export interface PasskeyCredentials {
  readonly challenge: string;
  /** AuthenticationResponseJSON of WebAuthn. */
  readonly passkey: object;
  readonly rememberMe?: boolean;
}

/** The second factor of a login: exactly one member. */
export interface SecondFactor {
  readonly totp?: string;
  readonly recoveryCode?: string;
  /** A code that an administrator has created for this login. */
  readonly accessCode?: string;
  /** AuthenticationResponseJSON of WebAuthn; RegistrationResponseJSON if the login creates the passkey. */
  readonly passkey?: object;
}

/** The password that replaces a temporary one. */
export interface PasswordChange {
  readonly challenge: string;
  readonly newPassword: string;
}

/** The members of requests that open a session, with the names of Profile A. */
export type OpenRequest =
  | Credentials
  | PasskeyCredentials
  | PasswordChange
  | ({ readonly challenge: string } & SecondFactor);

/** A new session. */
export interface Opened {
  readonly grant: Grant;
  /** Present if the login has created the first factor of the account. */
  readonly recoveryCodes?: readonly string[] | undefined;
}

/** The endpoints that open a session. */
export type OpenPath = '/login' | '/second-factor' | '/passkey' | '/password-change';

/** The calls that open, refresh and end a session. Each rejects with an ApiError. */
export interface Profile {
  open(send: Send, path: OpenPath, request: OpenRequest, signal: AbortSignal): Promise<Opened>;
  refresh(send: Send, signal: AbortSignal): Promise<Grant>;
  /** Gets the current access token if it is still usable. */
  logout(send: Send, accessToken: string | undefined, signal: AbortSignal): Promise<void>;
  /** Whether this error of a refresh ends the session. Every other error keeps it. */
  isEnd(error: ApiError): boolean;
  /** Whether all tabs of the browser have the same refresh token. */
  readonly isShared: boolean;
}

/** The path of the session endpoints. */
export const AUTH = '/api/v1/auth';
