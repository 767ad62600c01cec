import { Type } from '../../type.ts';
import { RefreshTokenTransport } from '../../../proto/gen/authservice/session/v1/session_service.ts';
import type { Endpoint } from '../../endpoint.ts';
import { MISSING_LOGIN_CREDENTIALS } from '../../../src/platform/problem/catalogue.ts';
import { GatewayError } from '../../errors/gateway-error.ts';
import { violationsOf } from '../../schema/violations.ts';
import { callOptions } from '../../http/call-options.ts';
import { browserOrigin } from '../../http/origins.ts';
import { descriptionOf } from '../declared.ts';
import { CREDENTIALS, LOGIN } from '../login-credentials.ts';
import { errorsOf } from '../../contract/contracts.ts';
import { noStore } from '../../http/caching.ts';
import { ACCESS_TOKEN, accessTokenOf, refreshTokenOf } from './tokens.ts';
import { USER, userOf } from './user.ts';

const LoginRequest = Type.Object(
  {
    ...CREDENTIALS,
  },
  { description: descriptionOf(LOGIN.input) },
);

const LoginResponse = Type.Object(
  {
    ...ACCESS_TOKEN,
    refresh_token: Type.String({ description: 'JWT that is valid for one refresh, within 7 days.' }),
    user: Type.Object(USER, { title: 'SessionUser' }),
  },
  { title: 'LoginResponse', description: descriptionOf(LOGIN.output) },
);

/** Endpoint: creates a session for a username and a password. */
export function login(): Endpoint {
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
      schemaErrorFormatter: (errors) =>
        new GatewayError('VALIDATION_ERROR', MISSING_LOGIN_CREDENTIALS, violationsOf(errors)),
      onRequest: noStore,
      handler: async (request) => {
        const { username, password } = request.body;
        const refreshTokenTransport = RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_BODY;
        const reply = await session.login(
          { username, password, rememberMe: false, refreshTokenTransport, browserOrigin: browserOrigin(request) },
          callOptions(request),
        );
        if (reply.account === undefined) throw new TypeError('The core sent no account');
        return { ...accessTokenOf(reply), refresh_token: refreshTokenOf(reply), user: userOf(reply.account) };
      },
    });
}
