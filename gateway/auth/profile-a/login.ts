import { Type } from '../../type.ts';
import { RefreshTokenTransport } from '../../../proto/gen/authservice/session/v1/session_service.ts';
import type { Endpoint } from '../../endpoint.ts';
import { MISSING_LOGIN_CREDENTIALS } from '../../../src/platform/problem/catalogue.ts';
import { GatewayError } from '../../errors/gateway-error.ts';
import { violationsOf } from '../../schema/violations.ts';
import { callOptions } from '../../http/call-options.ts';
import { declared, descriptionOf } from '../declared.ts';
import { CREDENTIALS, LOGIN } from '../login-credentials.ts';
import { errorsOf } from '../../contract/contracts.ts';
import { noStore } from '../../http/caching.ts';
import { SET_COOKIE, type RefreshCookies } from './refresh-cookie.ts';

const LoginRequest = Type.Object(
  {
    ...CREDENTIALS,
    rememberMe: Type.Optional(Type.Boolean(declared(LOGIN.input, 'remember_me'))),
  },
  { description: descriptionOf(LOGIN.input) },
);

const LoginResponse = Type.Object(
  {
    accessToken: Type.String(declared(LOGIN.output, 'access_token')),
    user: Type.Object(
      {
        id: Type.String({ description: 'Account id.' }),
        username: Type.String({ description: 'Login name as stored.' }),
      },
      { title: 'SessionUser' },
    ),
  },
  {
    title: 'LoginResponse',
    description: `${descriptionOf(LOGIN.output)} Set-Cookie carries the refresh token.`,
    headers: SET_COOKIE,
  },
);

/** Missing credentials determine the error's detail, even if the body has other violations too. */
const isCredentialViolation = (props: readonly string[] = []): boolean => props[0] !== 'rememberMe';

/** Endpoint: creates a session for a username and a password. */
export function login(cookies: RefreshCookies): Endpoint {
  return (app, { session }, route) =>
    app.route({
      ...route,
      config: { ...route.config, checksCredential: true, failures: errorsOf(route.config.rpc!) },
      schema: {
        summary: 'Log in',
        tags: ['Session'],
        body: LoginRequest,
        response: { 200: LoginResponse },
      },
      schemaErrorFormatter: (errors) => {
        const violations = violationsOf(errors);
        const missing = violations.some(({ props }) => isCredentialViolation(props));
        return new GatewayError('VALIDATION_ERROR', missing ? MISSING_LOGIN_CREDENTIALS : undefined, violations);
      },
      onRequest: noStore,
      handler: async (request, reply) => {
        const { username, password, rememberMe = false } = request.body;
        const refreshTokenTransport = RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_COOKIE;
        const { accessToken, account, refreshCookie } = await session.login(
          { username, password, rememberMe, refreshTokenTransport, ...cookies.originOf(request) },
          callOptions(request),
        );
        if (account === undefined) throw new TypeError('The core sent no account');
        cookies.write(request, reply, refreshCookie);
        return { accessToken, user: { id: account.id, username: account.username } };
      },
    });
}
