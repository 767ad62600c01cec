// The authorization endpoint (OAuth 2.1 section 3.1): browsers come from an application, and go back to it or to the login page.
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import {
  AuthorizationFault,
  type AuthorizeResponse,
} from '../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import { API, apiRootOf } from '../api-path.ts';
import { refreshCookies } from '../auth/profile-a/refresh-cookie.ts';
import { acceptAnyBody, bodyOf } from '../auth/m2m/client-endpoint.ts';
import { requireForm } from '../auth/m2m/client-request.ts';
import { decodeUtf8 } from '../auth/m2m/form-parser.ts';
import type { Gateway } from '../context.ts';
import type { Endpoint } from '../endpoint.ts';
import { callOptions } from '../http/call-options.ts';
import { userAgentOf } from '../http/origins.ts';
import { createErrorPages, type RequestFault, type SendErrorPage } from '../pages/error-page.ts';
import { BUILT_PAGES } from '../pages/page-source.ts';
import { noBody } from '../type.ts';
import { fetchDestinationOf, limited, queryOf, redirect, withPages } from './browser-request.ts';

const FAULTS: Readonly<Partial<Record<AuthorizationFault, RequestFault>>> = {
  [AuthorizationFault.AUTHORIZATION_FAULT_UNKNOWN_APPLICATION]: 'unknown-application',
  [AuthorizationFault.AUTHORIZATION_FAULT_WRONG_REDIRECT_URI]: 'wrong-redirect-uri',
  [AuthorizationFault.AUTHORIZATION_FAULT_INVALID_REQUEST]: 'invalid-request',
};

const SCHEMA: FastifySchema = {
  summary: 'Authorize an application',
  description:
    'Sends the browser back to the application with `code` or `error`, or to the login page (OpenID Connect Core section 3.1.2). If ' +
    'the client and the redirect URI are not known to fit, it shows a page.',
  tags: ['OpenID provider'],
  security: [{}],
  response: { 303: noBody('To the application, or to the login page.') },
};

/** Endpoint: judges the authorization request of a browser. */
export function authorize(gateway: Pick<Gateway, 'settings' | 'log' | 'pages'>): Endpoint {
  const { settings, pages = BUILT_PAGES } = gateway;
  const cookies = settings['app.security.auth-profile'] === 'A' ? refreshCookies(gateway) : undefined;
  const sendPage = createErrorPages(settings, pages);
  return (app, { authorization }, route) =>
    app.route({
      ...route,
      schema: cookies ? { ...SCHEMA, security: [{}, { refreshCookie: [] }] } : SCHEMA,
      handler: (request: FastifyRequest, reply: FastifyReply) =>
        withPages(
          (kind) => sendPage(request, reply, kind),
          async () => {
            const parameters = limited(queryOf(request));
            const userAgent = userAgentOf(request);
            const answer = await authorization.authorize(
              {
                parameters,
                refreshTokens: cookies?.read(request) ?? [],
                ...fetchDestinationOf(request),
                ...(userAgent !== undefined && { userAgent }),
              },
              callOptions(request),
            );
            return respond(sendPage, request, reply, answer);
          },
        ),
    });
}

/** Endpoint: stores an authorization request that came by POST, and lets the browser come again with its cookies. */
export function postAuthorize({ settings, pages = BUILT_PAGES }: Pick<Gateway, 'settings' | 'pages'>): Endpoint {
  const sendPage = createErrorPages(settings, pages);
  return (app, { authorization }, route) =>
    acceptAnyBody(app, (scope) =>
      scope.route({
        ...route,
        schema: { ...SCHEMA, summary: 'Authorize an application by a form' },
        handler: (request: FastifyRequest, reply: FastifyReply) =>
          withPages(
            (kind) => sendPage(request, reply, kind),
            async () => {
              requireForm(request, { formOnly: true });
              const parameters = limited(decodeUtf8(bodyOf(request), 'The form'));
              const stored = await authorization.storeAuthorizationRequest({ parameters }, callOptions(request));
              return redirect(reply, `${apiRootOf(request)}/auth/oauth2/authorize?${stored.parameters}`);
            },
          ),
      }),
    );
}

function respond(
  sendPage: SendErrorPage,
  request: FastifyRequest,
  reply: FastifyReply,
  { redirectTo, loginRequest, fault }: AuthorizeResponse,
): FastifyReply | Promise<FastifyReply> {
  if (redirectTo !== undefined) return redirect(reply, redirectTo);
  if (loginRequest !== undefined)
    return redirect(reply, `${apiRootOf(request).slice(0, -API.length)}/login?request=${loginRequest}`);
  return sendPage(request, reply, FAULTS[fault] ?? 'invalid-request');
}
