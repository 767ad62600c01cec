// A user's login.
import { Metadata } from '@grpc/grpc-js';
import type { Account } from '../gen/authservice/identity/v1/identity_service.ts';
import {
  RefreshTokenTransport,
  LoginRequest,
  type LoginResponse,
  LogoutRequest,
  RefreshRequest,
  type RefreshResponse,
  type SessionServiceClient,
} from '../gen/authservice/session/v1/session_service.ts';
import { answer, within } from './core.ts';
import { reasonOf } from './errors.ts';
import { createTokens, type Issued, type Tokens } from './tokens.ts';

const refreshTokenTransport = RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_BODY;

/** The session has ended: log in again. */
export class LoginNeeded extends Error {}

export interface Session {
  readonly account: Account;
  readonly expiresIn: number;
  /** The access token. Its methods throw LoginNeeded if the session has ended. */
  readonly tokens: Tokens;
  /** Ends the session of the access token. After an error it is still open: tell the user, or try again. */
  logout(): Promise<void>;
}

export async function login(client: SessionServiceClient, username: string, password: string): Promise<Session> {
  const request = LoginRequest.fromPartial({ username, password, refreshTokenTransport });
  const opened = await answer<LoginResponse>((done) => client.login(request, new Metadata(), within(5_000), done));
  let { refreshToken } = opened;
  const issued = ({ accessToken, expiresIn }: LoginResponse | RefreshResponse): Issued => ({
    token: accessToken,
    lifetimeSeconds: expiresIn,
  });

  /**
   * Renews both tokens. Never repeat it blindly: the second use of a refresh token is a replay and ends the session. After an
   * error with ErrorInfo, nothing has changed.
   */
  async function refresh(): Promise<Issued> {
    if (!refreshToken) throw new LoginNeeded('log in again');
    const request = RefreshRequest.fromPartial({ refreshTokens: [refreshToken], refreshTokenTransport });
    try {
      const renewed = await answer<RefreshResponse>((done) =>
        client.refresh(request, new Metadata(), within(5_000), done),
      );
      ({ refreshToken } = renewed);
      return issued(renewed);
    } catch (error) {
      // With another reason the refresh token remains valid. The next call tries again.
      if (!['', 'REFRESH_SESSION_INVALID'].includes(reasonOf(error))) throw error;
      refreshToken = undefined;
      throw new LoginNeeded('log in again', { cause: error });
    }
  }

  const tokens = createTokens(refresh, issued(opened));
  return {
    account: opened.account!,
    expiresIn: opened.expiresIn,
    tokens,
    async logout() {
      const metadata = await tokens.metadata();
      await answer((done) => client.logout(LogoutRequest.fromPartial({}), metadata, within(5_000), done));
    },
  };
}
