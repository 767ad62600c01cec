import { ClientCredentialsServiceService } from '../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { AuthorizationServiceService } from '../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import {
  SessionServiceService,
  RefreshTokenTransport,
  RequestOrigin,
  type LoginResponse,
} from '../../proto/gen/authservice/session/v1/session_service.ts';
import type { LoginChallenge, ReasonName } from '../../src/platform/errors.ts';
import { RpcError } from '../../src/platform/rpc/errors/rpc-error.ts';
import type { GrpcChannel } from '../../src/platform/rpc/grpc/client.ts';
import type { CallOptions } from '../../src/platform/rpc/types.ts';
import { EXIT, CommandFailure } from '../failure.ts';
import type { Target } from './connection-options.ts';
import type { CredentialsFile, Login } from './credentials-file.ts';

/** How refresh tokens travel: as by a browser of the service's own origin, which works in both modes of a gateway. */
export const AS_COOKIE = {
  refreshTokenTransport: RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_COOKIE,
  origin: RequestOrigin.REQUEST_ORIGIN_OWN,
};
/** The client id of this program as an application of the service. */
export const COMMAND_LINE = 'authservice-cli';
/** The login is over, or its application is switched off. */
const OVER: readonly string[] = ['REFRESH_SESSION_INVALID', 'INVALID_GRANT', 'INVALID_CLIENT'];
/** A token that expires this soon is renewed before a call. */
const RENEWAL_MS = 30_000;

export type Connection = {
  readonly channel: GrpcChannel;
  readonly options: CallOptions & { readonly timeoutMs: number };
};

/** Answers the challenge of a login whose password was right. */
export type AnswerChallenge = (
  challenge: LoginChallenge,
  reason: ReasonName,
) => Promise<{ readonly login: LoginResponse; readonly recoveryCodes: readonly string[] }>;

/** Logs in. Returns the session, and the recovery codes if the login has created the first factor of the account. */
export async function logIn(
  { channel, options }: Connection,
  target: Target,
  credentials: { readonly username: string; readonly password: string },
  answer: AnswerChallenge,
): Promise<{ readonly session: Login; readonly recoveryCodes: readonly string[] }> {
  const { username } = credentials;
  const request = { ...credentials, rememberMe: false, ...AS_COOKIE };
  const { login, recoveryCodes } = await channel
    .client(SessionServiceService)
    .login(request, options)
    .then(
      (response) => ({ login: response, recoveryCodes: [] }),
      (error: unknown) => {
        const status = error instanceof RpcError ? error.status : undefined;
        if (status?.challenge === undefined) throw error;
        return answer(status.challenge, status.reason);
      },
    );
  return { session: { ...target, username, ...sessionOf(login) }, recoveryCodes };
}

/** Ends the session on the core. */
export async function logOut({ channel, options }: Connection, login: Login): Promise<void> {
  if (login.refreshToken !== undefined) {
    const request = { token: login.refreshToken, clientId: COMMAND_LINE };
    await channel.client(ClientCredentialsServiceService).revokeToken(request, options);
    return;
  }
  const request = { refreshTokens: [login.refreshCookie!], ...AS_COOKIE };
  await channel.client(SessionServiceService).logout(request, options);
}

/** Returns a valid access token of a stored login. Renews it if it expires soon. */
export async function validAccessToken(connection: Connection, file: CredentialsFile, core: string): Promise<string> {
  const stored = file.find(core);
  if (stored === undefined) throw notLoggedIn(file, core);
  if (!expiresSoon(stored)) return stored.accessToken;
  // A refresh token works once, so only one process may use it.
  return file.exclusively(connection.options.timeoutMs, async () => {
    const current = file.find(core);
    if (current === undefined) throw notLoggedIn(file, core);
    if (!expiresSoon(current)) return current.accessToken;
    const renewed = { ...current, ...sessionOf(await refresh(connection, current)) };
    file.save(renewed);
    return renewed.accessToken;
  });
}

async function refresh({ channel, options }: Connection, login: Login) {
  try {
    if (login.refreshToken !== undefined) {
      const request = { grantType: 'refresh_token', refreshToken: login.refreshToken, clientId: COMMAND_LINE };
      return await channel.client(AuthorizationServiceService).exchangeToken(request, options);
    }
    const request = { refreshTokens: [login.refreshCookie!], ...AS_COOKIE };
    return await channel.client(SessionServiceService).refresh(request, options);
  } catch (error) {
    if (!(error instanceof RpcError) || !OVER.includes(error.status.reason)) throw error;
    throw new CommandFailure(`the session of ${login.username} has ended; run authservice login`, EXIT.credential);
  }
}

type Tokens = {
  readonly accessToken: string;
  readonly expiresIn: number;
  readonly refreshCookie?: { readonly value: string } | undefined;
  readonly refreshToken?: string | undefined;
};

/** Returns what is kept of tokens: those of a session have a cookie, those of the command line as an application have a refresh token. */
export function sessionOf({ accessToken, expiresIn, refreshCookie, refreshToken }: Tokens) {
  return {
    accessToken,
    accessTokenExpiresAt: new Date(Date.now() + expiresIn * 1_000).toISOString(),
    ...(refreshCookie && { refreshCookie: refreshCookie.value }),
    ...(refreshToken !== undefined && { refreshToken }),
  };
}

function expiresSoon({ accessTokenExpiresAt }: Login): boolean {
  return Date.parse(accessTokenExpiresAt) - Date.now() < RENEWAL_MS;
}

/** The failure of a command without a credential. Names the other cores with a login, because the user may mean one. */
export function notLoggedIn(file: CredentialsFile, core: string): CommandFailure {
  const others = file.list().map((login) => login.core);
  const remedies = [
    'run authservice login',
    ...(others.length > 0 ? [`switch with authservice use CORE (${others.join(', ')})`] : []),
    'set AUTHSERVICE_TOKEN',
  ];
  return new CommandFailure(`not logged in at ${core}; ${remedies.join(', or ')}`, EXIT.credential);
}
