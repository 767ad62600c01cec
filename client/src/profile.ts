import type { Grant } from './access-token.ts';
import type { ApiError } from './api-error.ts';
import type { Send } from './caller.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
  /** Profile A: whether the session outlives the browser. Default false. */
  readonly rememberMe?: boolean;
}

/** The calls that open, refresh and end a session. Each rejects with an ApiError. */
export interface Profile {
  login(send: Send, credentials: Credentials, signal: AbortSignal): Promise<Grant>;
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
