// A user's login.
// snippet:start session
import { Metadata } from '@grpc/grpc-js';
import type { Account } from '../gen/authservice/identity/v1/identity_service.ts';
import {
  RefreshTokenTransport,
  LoginRequest,
  type LoginResponse,
  RefreshRequest,
  type RefreshResponse,
  type SessionServiceClient,
} from '../gen/authservice/session/v1/session_service.ts';
import { answer, within } from './core.ts';
import { reasonOf } from './errors.ts';

const refreshTokenTransport = RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_BODY;

/** The session has ended: log in again. */
export class LoginNeeded extends Error {}

export interface Session {
  readonly account: Account;
  readonly expiresIn: number;
  /** Of a call with the access token. */
  metadata(): Metadata;
  /**
   * Renews both tokens. Never repeat it blindly: the second use of a refresh token is a replay and ends the session. After an
   * error with ErrorInfo, nothing has changed.
   */
  refresh(): Promise<void>;
}

export async function login(client: SessionServiceClient, username: string, password: string): Promise<Session> {
  const request = LoginRequest.fromPartial({ username, password, refreshTokenTransport });
  const opened = await answer<LoginResponse>((done) => client.login(request, new Metadata(), within(5_000), done));
  let { accessToken, refreshToken } = opened;
  let refreshing: Promise<void> | undefined;

  async function refresh(): Promise<void> {
    if (!refreshToken) throw new LoginNeeded();
    const request = RefreshRequest.fromPartial({ refreshTokens: [refreshToken], refreshTokenTransport });
    try {
      ({ accessToken, refreshToken } = await answer<RefreshResponse>((done) =>
        client.refresh(request, new Metadata(), within(5_000), done),
      ));
    } catch (error) {
      // With another reason the refresh token remains valid: try again after retryAfter(error).
      if (!['', 'REFRESH_SESSION_INVALID'].includes(reasonOf(error))) throw error;
      refreshToken = undefined;
      throw new LoginNeeded('log in again', { cause: error });
    }
  }

  return {
    account: opened.account!,
    expiresIn: opened.expiresIn,
    metadata() {
      const metadata = new Metadata();
      metadata.set('authorization', `Bearer ${accessToken}`);
      return metadata;
    },
    // Parallel callers share one refresh.
    refresh: () => (refreshing ??= refresh().finally(() => (refreshing = undefined))),
  };
}

// snippet:end
