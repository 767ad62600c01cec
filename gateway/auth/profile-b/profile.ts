// Profile B: the refresh token is in the body. No cookie is read or set.
import type { FastifyRequest } from 'fastify';
import type { Account } from '../../../proto/gen/authservice/identity/v1/identity_service.ts';
import {
  RefreshTokenTransport,
  RequestOrigin,
  type LoginResponse as LoginResult,
} from '../../../proto/gen/authservice/session/v1/session_service.ts';
import { requireField } from '../../clients.ts';
import type { Gateway } from '../../context.ts';
import { errorsOf } from '../../contract/contracts.ts';
import type { Endpoint } from '../../endpoint.ts';
import { GatewayError } from '../../errors/gateway-error.ts';
import { noStore } from '../../http/caching.ts';
import { callOptions } from '../../http/call-options.ts';
import { ignoreTypeOfEmptyBody } from '../../http/json-body.ts';
import { browserOrigin, originClassifier, userAgentOf } from '../../http/origins.ts';
import { violationsOf } from '../../schema/violations.ts';
import { optionalField, Type } from '../../type.ts';
import { ACCOUNT_MEMBERS, accessTokenMembers, accessTokenOf, declared, methodOf } from '../declared.ts';
import { LOGIN, loginEndpoints } from '../login.ts';
import { me, type LoginStyle, type SessionEndpoints } from '../session-endpoints.ts';

/** Returns the endpoints of Profile B. */
export function profileB({ settings }: Pick<Gateway, 'settings'>): SessionEndpoints {
  const originOf = createReadOrigin(settings);
  return {
    ...loginEndpoints(loginStyle(originOf)),
    refresh: refresh(settings['app.security.refresh-token.return-rotated'], originOf),
    me: me({ members: USER, membersOf: userOf, onRequest: noStore }),
    logout,
  };
}

const refreshTokenTransport = RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_BODY;
const ACCESS_TOKEN = accessTokenMembers(LOGIN.output);

const { id, name, roles, tenantId } = ACCOUNT_MEMBERS;
const USER = {
  id,
  email: Type.String({ description: 'E-mail address. If the account has none, its username.' }),
  name,
  role: Type.String({ description: 'Primary role: the first of roles.', examples: ['ROLE_MANAGER'] }),
  roles,
  tenantId,
};

/** Returns the user object of an account. Throws TypeError if the core sent an account without roles. */
function userOf({ id, email, username, name, roles, tenantId }: Account) {
  const [role] = roles;
  if (role === undefined) throw new TypeError('The core sent an account without roles');
  return { id, email: email ?? username, name, role, roles, tenantId };
}

/**
 * Creates a function that returns the origin of the page that sent a request. Browsers do not send the token by themselves, so
 * the listed origins do not matter, only the service's own.
 */
function createReadOrigin(settings: Gateway['settings']) {
  const originOf = originClassifier(settings);
  return (request: FastifyRequest) => {
    const origin = originOf(request);
    const isOwn = origin === RequestOrigin.REQUEST_ORIGIN_OWN;
    return { ...(isOwn && { origin }), browserOrigin: browserOrigin(request) };
  };
}

type ReadOrigin = ReturnType<typeof createReadOrigin>;

const LOGIN_MEMBERS = {
  ...ACCESS_TOKEN,
  refresh_token: Type.String(declared(LOGIN.output, 'refresh_token')),
  user: Type.Object(USER, { title: 'SessionUser' }),
};

/** The response of a login. */
function loginStyle(originOf: ReadOrigin) {
  return {
    newPassword: 'new_password',
    recoveryCode: 'recovery_code',
    recoveryCodes: 'recovery_codes',
    accessCode: 'access_code',
    rememberMe: 'remember_me',
    remembersPasswordLogin: false,
    members: LOGIN_MEMBERS,
    respond(response: LoginResult) {
      const user = userOf(requireField(response.account, 'account'));
      const refresh_token = requireField(response.refreshToken, 'refresh token');
      return { ...accessTokenOf(response), refresh_token, user };
    },
    originOf: (request: FastifyRequest) => ({
      refreshTokenTransport,
      ...originOf(request),
      userAgent: userAgentOf(request),
    }),
  } satisfies LoginStyle;
}

const RefreshRequest = Type.Object(
  { refresh_token: Type.String({ description: 'The token of the last login or refresh. Valid once.', minLength: 1 }) },
  { description: 'The refresh token.' },
);

const REFRESH = methodOf('SessionService', 'Refresh');

const RefreshResponse = Type.Object(
  {
    ...ACCESS_TOKEN,
    // Absent if the deployment does not return it.
    refresh_token: optionalField(Type.String(declared(REFRESH.output, 'refresh_token'))),
  },
  {
    title: 'RefreshResponse',
    description: 'The session continues. The presented refresh token is no longer valid.',
  },
);

/**
 * Endpoint: exchanges a refresh token for a new access token.
 *
 * @param returnsRotated Whether the response contains the next refresh token.
 */
function refresh(returnsRotated: boolean, originOf: ReadOrigin): Endpoint {
  return (app, { session }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: ['VALIDATION_ERROR', ...errorsOf(route.config.rpc!)] },
      schema: {
        summary: 'Refresh the session',
        tags: ['Session'],
        body: RefreshRequest,
        response: { 200: RefreshResponse },
      },
      schemaErrorFormatter: (errors) =>
        new GatewayError('VALIDATION_ERROR', 'Missing refresh_token', violationsOf(errors)),
      onRequest: noStore,
      handler: async (request) => {
        const response = await session.refresh(
          {
            refreshTokens: [request.body.refresh_token],
            origin: RequestOrigin.REQUEST_ORIGIN_UNSPECIFIED,
            refreshTokenTransport,
            ...originOf(request),
          },
          callOptions(request),
        );
        const next = requireField(response.refreshToken, 'refresh token');
        return { ...accessTokenOf(response), ...(returnsRotated && { refresh_token: next }) };
      },
    });
}

const MESSAGE = 'Logged out successfully';

const LoggedOut = Type.Object(
  { message: Type.Literal(MESSAGE) },
  {
    title: 'LogoutResponse',
    description: 'The session has ended. Its access and refresh tokens are no longer valid.',
  },
);

/** Endpoint: ends the session of the bearer token. */
const logout: Endpoint = (app, { session }, route) =>
  app.route({
    ...route,
    config: { ...route.config, failures: errorsOf(route.config.rpc!, ['VALIDATION_ERROR']) },
    schema: { summary: 'Log out', tags: ['Session'], security: [{ bearer: [] }], response: { 200: LoggedOut } },
    onRequest: [noStore, ignoreTypeOfEmptyBody],
    handler: async (request) => {
      const origin = browserOrigin(request);
      await session.logout({ refreshTokens: [], refreshTokenTransport, browserOrigin: origin }, callOptions(request));
      return { message: MESSAGE } as const;
    },
  });
