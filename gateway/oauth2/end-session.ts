// The logout endpoint (OpenID Connect RP-Initiated Logout 1.0): browsers come from an application, and go back to it or to a page that asks.
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { LogoutFault, type EndSessionResponse } from '../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import { RefreshTokenTransport } from '../../proto/gen/authservice/session/v1/session_service.ts';
import { API, apiRootOf } from '../api-path.ts';
import { declared, methodOf } from '../auth/declared.ts';
import { acceptAnyBody, bodyOf } from '../auth/m2m/client-endpoint.ts';
import { requireForm } from '../auth/m2m/client-request.ts';
import { decodeUtf8 } from '../auth/m2m/form-parser.ts';
import { refreshCookies, SET_COOKIE, type RefreshCookies } from '../auth/profile-a/refresh-cookie.ts';
import type { Gateway } from '../context.ts';
import type { Endpoint } from '../endpoint.ts';
import { noStore } from '../http/caching.ts';
import { callOptions } from '../http/call-options.ts';
import { ignoreTypeOfEmptyBody } from '../http/json-body.ts';
import { createErrorPages, type Fault, type SendErrorPage } from '../pages/error-page.ts';
import { BUILT_PAGES } from '../pages/page-source.ts';
import { noBody, Type } from '../type.ts';
import { fetchDestinationOf, limited, queryOf, redirect, withPages, type FailureKind } from './browser-request.ts';

type Options = Pick<Gateway, 'settings' | 'log' | 'pages'>;

const FAULTS: Readonly<Partial<Record<LogoutFault, Fault>>> = {
  [LogoutFault.LOGOUT_FAULT_UNKNOWN_APPLICATION]: 'logout-unknown-application',
  [LogoutFault.LOGOUT_FAULT_WRONG_REDIRECT_URI]: 'logout-wrong-redirect-uri',
  [LogoutFault.LOGOUT_FAULT_INVALID_HINT]: 'logout-invalid-hint',
  [LogoutFault.LOGOUT_FAULT_INVALID_REQUEST]: 'logout-invalid-request',
};

const FAILURES: Readonly<Record<FailureKind, Fault>> = {
  'invalid-request': 'logout-invalid-request',
  'too-large': 'logout-too-large',
  'too-many-open': 'logout-too-many-open',
  unavailable: 'logout-unavailable',
};

const { COOKIE, UNSPECIFIED } = {
  COOKIE: RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_COOKIE,
  UNSPECIFIED: RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_UNSPECIFIED,
};

const SCHEMA: FastifySchema = {
  summary: 'Log out by an application',
  description:
    'Ends the session of the ID token, and sends the browser back to the application, or to a page that asks the user first (OpenID ' +
    'Connect RP-Initiated Logout 1.0). Without a URI to go to, it shows a page.',
  tags: ['OpenID provider'],
  security: [{}],
  response: {
    200: noBody('HTML: the user is logged out.'),
    303: noBody('To the application, or to the page that asks.', SET_COOKIE),
  },
};

const cookiesOf = (gateway: Options): RefreshCookies | undefined =>
  gateway.settings['app.security.auth-profile'] === 'A' ? refreshCookies(gateway) : undefined;

/** Endpoint: judges the logout request of a browser. */
export function endSession(gateway: Options): Endpoint {
  const { settings, pages = BUILT_PAGES } = gateway;
  const cookies = cookiesOf(gateway);
  const sendPage = createErrorPages(settings, pages);
  return (app, { authorization }, route) =>
    app.route({
      ...route,
      schema: cookies ? { ...SCHEMA, security: [{}, { refreshCookie: [] }] } : SCHEMA,
      handler: (request: FastifyRequest, reply: FastifyReply) =>
        withPages(
          (kind) => sendPage(request, reply, FAILURES[kind]),
          async () => {
            const answer = await authorization.endSession(
              {
                parameters: limited(queryOf(request)),
                refreshTokens: cookies?.read(request) ?? [],
                refreshTokenTransport: cookies ? COOKIE : UNSPECIFIED,
                ...fetchDestinationOf(request),
              },
              callOptions(request),
            );
            if (answer.refreshCookieName !== undefined) cookies?.clear(reply, answer.refreshCookieName);
            return respond(sendPage, request, reply, answer);
          },
        ),
    });
}

/** Endpoint: stores a logout request that came by POST, and lets the browser come again with its cookies. */
export function postEndSession({ settings, pages = BUILT_PAGES }: Options): Endpoint {
  const sendPage = createErrorPages(settings, pages);
  return (app, { authorization }, route) =>
    acceptAnyBody(app, (scope) =>
      scope.route({
        ...route,
        schema: {
          ...SCHEMA,
          summary: 'Log out by the form of an application',
          response: { 303: noBody('To the same path, with a reference to the form.') },
        },
        handler: (request: FastifyRequest, reply: FastifyReply) =>
          withPages(
            (kind) => sendPage(request, reply, FAILURES[kind]),
            async () => {
              requireForm(request, { formOnly: true });
              const parameters = limited(decodeUtf8(bodyOf(request), 'The form'));
              const stored = await authorization.storeLogoutRequest({ parameters }, callOptions(request));
              return redirect(reply, `${apiRootOf(request)}/auth/oauth2/end-session?${stored.parameters}`);
            },
          ),
      }),
    );
}

function respond(
  sendPage: SendErrorPage,
  request: FastifyRequest,
  reply: FastifyReply,
  { redirectTo, logoutRequest, fault, uiLocales }: EndSessionResponse,
): FastifyReply | Promise<FastifyReply> {
  if (redirectTo !== undefined) return redirect(reply, redirectTo);
  if (logoutRequest !== undefined) {
    const query = new URLSearchParams({
      request: logoutRequest,
      ...(uiLocales !== undefined && { ui_locales: uiLocales }),
    });
    return redirect(reply, `${apiRootOf(request).slice(0, -API.length)}/logout?${query.toString()}`);
  }
  return sendPage(request, reply, FAULTS[fault] ?? 'logged-out', uiLocales);
}

const { input: CONFIRM, output: CONFIRMED } = methodOf('AuthorizationService', 'ConfirmLogout');

const ConfirmLogoutResponse = Type.Object(
  { redirectTo: Type.Optional(Type.String(declared(CONFIRMED, 'redirect_to'))) },
  { title: 'ConfirmLogoutResponse', description: 'The session has ended.', headers: SET_COOKIE },
);

/** Endpoint: ends the session of the browser for a logout request that its user has confirmed. */
export function confirmLogout(gateway: Options): Endpoint {
  const cookies = cookiesOf(gateway);
  return (app, { authorization }, route) =>
    app.route<{ Params: { id: string } }>({
      ...route,
      schema: {
        summary: 'Confirm a logout request',
        description: 'Ends the session of the browser. Its page `/logout` calls it.',
        tags: ['OpenID provider'],
        security: cookies ? [{}, { refreshCookie: [] }] : [{ bearer: [] }],
        params: Type.Object({ id: Type.String(declared(CONFIRM, 'request_id')) }),
        response: { 200: ConfirmLogoutResponse },
      },
      onRequest: [noStore, ignoreTypeOfEmptyBody],
      handler: async (request, reply) => {
        const { redirectTo, refreshCookieName } = await authorization.confirmLogout(
          {
            requestId: request.params.id,
            refreshTokens: cookies?.read(request) ?? [],
            refreshTokenTransport: cookies ? COOKIE : UNSPECIFIED,
            ...(cookies && { origin: cookies.originOf(request).origin }),
          },
          callOptions(request),
        );
        cookies?.clear(reply, refreshCookieName);
        return { redirectTo };
      },
    });
}
