import type { Grant } from './access-token.ts';
import type { ApiError } from './api-error.ts';
import type { Send } from './caller.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
  /** Profile A: whether the session outlives the browser. Default false. */
  readonly rememberMe?: boolean;
}

/** How a session is opened, prolonged and ended; each call rejects with an ApiError. */
export interface Profile {
  login(send: Send, credentials: Credentials, signal: AbortSignal): Promise<Grant>;
  refresh(send: Send, signal: AbortSignal): Promise<Grant>;
  /** The current access token is given if it can still be used. */
  logout(send: Send, accessToken: string | undefined, signal: AbortSignal): Promise<void>;
  /** Whether this error of a refresh means that only a login helps. Every other one keeps the session. */
  isEnd(error: ApiError): boolean;
  /** Whether all tabs of the browser have the same refresh token. */
  readonly isShared: boolean;
}

/** The path of the session endpoints. */
export const AUTH = '/api/v1/auth';
