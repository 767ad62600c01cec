// Logins by the browser: on this machine (RFC 8252), or on another device (RFC 8628). The program is an application of the service.
import { createHash, randomBytes } from 'node:crypto';
import {
  AuthorizationServiceService,
  type ExchangeTokenResponse,
} from '../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import { IdentityServiceService } from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import { SessionServiceService } from '../../proto/gen/authservice/session/v1/session_service.ts';
import { RpcError } from '../../src/platform/rpc/errors/rpc-error.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { openLoopback } from './loopback.ts';
import type { Target } from './connection-options.ts';
import type { Login } from './credentials-file.ts';
import { COMMAND_LINE, sessionOf, type Connection } from './login-session.ts';
import { openInBrowser } from './open-in-browser.ts';

const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';
const SCOPE = 'openid';
/** The request of the login page is valid for ten minutes, and the code after it for one. */
const BROWSER_LIMIT_MS = 11 * 60_000;

/** Where the pages are, and for whom the tokens are. */
interface Provider {
  readonly issuer: string;
  readonly publicUrl: string;
  readonly audience: string;
}

type Asking = Pick<Terminal, 'env' | 'error' | 'signal' | 'wait'>;

/** Logs in by a browser of this machine. */
export async function logInByBrowser(connection: Connection, target: Target, terminal: Asking): Promise<Login> {
  const { channel, options } = connection;
  const authorization = channel.client(AuthorizationServiceService);
  const { issuer, publicUrl, audience } = await findProvider(connection);
  const [state, verifier] = [randomText(), randomText()];
  const loopback = await openLoopback(terminal.signal, BROWSER_LIMIT_MS);
  try {
    const { redirectUri } = loopback;
    const parameters = new URLSearchParams({
      client_id: COMMAND_LINE,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: SCOPE,
      resource: audience,
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }).toString();
    const { loginRequest } = await authorization.authorize({ parameters, refreshTokens: [] }, options);
    if (loginRequest === undefined) throw unavailable();
    await show(`${publicUrl}/login?${new URLSearchParams({ request: loginRequest }).toString()}`, terminal);
    const callback = await loopback.callback;
    if (callback.get('state') !== state || callback.get('iss') !== issuer)
      throw new CommandFailure('the browser came back with another login; try again', EXIT.credential);
    const code = callback.get('code');
    if (code === null)
      throw new CommandFailure(`the login was refused: ${callback.get('error') ?? 'no code'}`, EXIT.credential);
    const request = {
      grantType: 'authorization_code',
      clientId: COMMAND_LINE,
      code,
      redirectUri,
      codeVerifier: verifier,
    };
    return await loginOf(connection, target, await authorization.exchangeToken(request, options));
  } finally {
    loopback.close();
  }
}

/** Logs in by a browser of another device: the user enters the code there. */
export async function logInByDevice(connection: Connection, target: Target, terminal: Asking): Promise<Login> {
  const { channel, options } = connection;
  const authorization = channel.client(AuthorizationServiceService);
  const { audience: resource } = await findProvider(connection);
  const device = await authorization.authorizeDevice({ clientId: COMMAND_LINE, scope: SCOPE, resource }, options);
  const { deviceCode, userCode, verificationUri, verificationUriComplete } = device;
  terminal.error(
    `Open ${verificationUri} in a browser and enter the code ${userCode}\nor open ${verificationUriComplete}\n`,
  );
  const request = { grantType: DEVICE_CODE, clientId: COMMAND_LINE, deviceCode };
  for (let { interval } = device; ;) {
    await terminal.wait(interval * 1000);
    try {
      return await loginOf(connection, target, await authorization.exchangeToken(request, options));
    } catch (error) {
      const reason = error instanceof RpcError ? error.status.reason : '';
      if (reason === 'SLOW_DOWN') interval += 5;
      else if (reason === 'ACCESS_DENIED') throw new CommandFailure('the login was denied', EXIT.credential);
      else if (reason === 'EXPIRED_TOKEN')
        throw new CommandFailure('nobody has entered the code in time; try again', EXIT.credential);
      else if (reason !== 'AUTHORIZATION_PENDING') throw error;
    }
  }
}

async function findProvider({ channel, options }: Connection): Promise<Provider> {
  const metadata = await channel.client(SessionServiceService).getAuthorizationServerMetadata({}, options);
  const { issuer, publicUrl, audience, idTokenSigningAlgorithms } = metadata;
  if (publicUrl === undefined || idTokenSigningAlgorithms.length === 0) throw unavailable();
  return { issuer, publicUrl, audience };
}

const unavailable = () =>
  new CommandFailure(
    'the service has no login by the browser: app.oauth.enabled or app.oauth.cli is false; give a username to log in by the password',
    EXIT.usage,
  );

async function show(url: string, { env, error }: Asking): Promise<void> {
  error(`Log in with your browser. If it does not open, go to\n${url}\n`);
  await openInBrowser(url, env);
}

async function loginOf(
  { channel, options }: Connection,
  target: Target,
  tokens: ExchangeTokenResponse,
): Promise<Login> {
  const authorization = [`Bearer ${tokens.accessToken}`];
  const { account } = await channel.client(IdentityServiceService).getMe({}, { ...options, authorization });
  return { ...target, username: account!.username, ...sessionOf(tokens) };
}

const randomText = (): string => randomBytes(32).toString('base64url');
