// Logins. Both profiles have these endpoints.
import { MISSING_LOGIN_CREDENTIALS } from '../../src/platform/problem/catalogue.ts';
import { ownDescriptors } from '../../src/platform/rpc/contract/descriptors.ts';
import { NOT_BLANK } from '../../src/platform/rpc/contract/text-patterns.ts';
import type { Endpoint } from '../endpoint.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { noStore } from '../http/caching.ts';
import { callOptions } from '../http/call-options.ts';
import { documented } from '../schema/documented.ts';
import { violationsOf } from '../schema/violations.ts';
import { Type } from '../type.ts';
import { declared, descriptionOf, methodOf } from './declared.ts';
import { changeTemporaryPassword } from './password-change.ts';
import { passkeyEndpoints } from './passkeys.ts';
import { completeLogin, startEnrolment } from './second-factor.ts';
import type { LoginStyle, SessionEndpoints } from './session-endpoints.ts';

/** The endpoints of logins. */
export function loginEndpoints(style: LoginStyle): Omit<SessionEndpoints, 'refresh' | 'me' | 'logout'> {
  return {
    login: login(style),
    completeLogin: completeLogin(style),
    changeTemporaryPassword: changeTemporaryPassword(style),
    startEnrolment: startEnrolment(style),
    ...passkeyEndpoints(style),
  };
}

/** The RPC of a login with a password. */
export const LOGIN = methodOf('SessionService', 'Login');

// The core checks the credentials after the limit of attempts, so the fields of the RPC have wider bounds.
const { ruleNamed } = ownDescriptors();
const USERNAME = ruleNamed('authservice.identity.v1.CreateUserRequest.username');
const PASSWORD = ruleNamed('authservice.identity.v1.ChangeOwnPasswordRequest.current_password');

/** Members of the login body. The core checks the lengths. */
const CREDENTIALS = {
  username: Type.String({
    ...declared(LOGIN.input, 'username'),
    ...documented({ maxLength: USERNAME.max, pattern: NOT_BLANK }),
  }),
  password: Type.String({
    ...declared(LOGIN.input, 'password'),
    ...documented({ minLength: PASSWORD.min, maxLength: PASSWORD.max }),
  }),
};

/** Endpoint: creates a session for a username and a password. */
function login({ rememberMe, remembersPasswordLogin, ...style }: LoginStyle): Endpoint {
  const remember = { [rememberMe]: Type.Optional(Type.Boolean(declared(LOGIN.input, 'remember_me'))) };
  const Login = Type.Object(
    { ...CREDENTIALS, ...(remembersPasswordLogin && remember) },
    { description: descriptionOf(LOGIN.input) },
  );
  const LoggedIn = Type.Object(style.members, {
    title: 'LoginResponse',
    description: `${descriptionOf(LOGIN.output)}${style.headers ? ' Set-Cookie carries the refresh token.' : ''}`,
    headers: style.headers,
  });
  return (app, { session }, route) =>
    app.route({
      ...route,
      schema: { summary: 'Log in', tags: ['Session'], body: Login, response: { 200: LoggedIn } },
      schemaErrorFormatter: (errors) => {
        const violations = violationsOf(errors);
        // Missing credentials determine the error's detail, even if the body has other violations too.
        const missing = violations.some(({ props = [] }) => props[0] !== rememberMe);
        return new GatewayError('VALIDATION_ERROR', missing ? MISSING_LOGIN_CREDENTIALS : undefined, violations);
      },
      onRequest: noStore,
      handler: async (request, reply) => {
        const { username, password, ...others } = request.body as Readonly<Record<'username' | 'password', string>>;
        const asked = remembersPasswordLogin && (others as Readonly<Record<string, unknown>>)[rememberMe] === true;
        const response = await session.login(
          { username, password, rememberMe: asked, ...style.originOf(request) },
          callOptions(request),
        );
        return { ...style.respond(response, request, reply) };
      },
    });
}
