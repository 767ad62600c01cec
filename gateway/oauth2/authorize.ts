// The authorization endpoint (OAuth 2.1 section 3.1): browsers come from an application, and go back to it or to the login page.
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import {
  AuthorizationFault,
  type AuthorizeResponse,
} from '../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import { RpcError } from '../../src/platform/rpc/errors/rpc-error.ts';
import { API, apiRootOf } from '../api-path.ts';
import { refreshCookies } from '../auth/profile-a/refresh-cookie.ts';
import type { Gateway, TypedApp } from '../context.ts';
import type { Endpoint } from '../endpoint.ts';
import { callOptions } from '../http/call-options.ts';
import { userAgentOf } from '../http/origins.ts';
import { createErrorPages, type RequestFault, type SendErrorPage } from '../pages/error-page.ts';
import { BUILT_PAGES } from '../pages/page-source.ts';
import { mediaTypeOf } from '../auth/m2m/request-format.ts';
import { noBody } from '../type.ts';

const MAX_PARAMETERS = 16_384;

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
      handler: async (request: FastifyRequest, reply: FastifyReply) => {
        const parameters = queryOf(request);
        if (parameters.length > MAX_PARAMETERS) return sendPage(request, reply, 'too-large');
        const fetchDestination = request.headers['sec-fetch-dest'];
        const userAgent = userAgentOf(request);
        const answer = () =>
          authorization.authorize(
            {
              parameters,
              refreshTokens: cookies?.read(request) ?? [],
              ...(typeof fetchDestination === 'string' && { fetchDestination: fetchDestination.slice(0, 64) }),
              ...(userAgent !== undefined && { userAgent }),
            },
            callOptions(request),
          );
        return withPages(sendPage, request, reply, async () => respond(sendPage, request, reply, await answer()));
      },
    });
}

/** Endpoint: stores an authorization request that came by POST, and lets the browser come again with its cookies. */
export function postAuthorize({ settings, pages = BUILT_PAGES }: Pick<Gateway, 'settings' | 'pages'>): Endpoint {
  const sendPage = createErrorPages(settings, pages);
  return (app, { authorization }, route) =>
    // A separate Fastify scope, because all other routes accept only JSON.
    app.register(async (scope: TypedApp) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser(
        '*',
        { parseAs: 'string', bodyLimit: 2 * MAX_PARAMETERS },
        async (_: unknown, text: string) => text,
      );
      scope.route({
        ...route,
        schema: { ...SCHEMA, summary: 'Authorize an application by a form' },
        handler: async (request: FastifyRequest, reply: FastifyReply) => {
          const parameters = (request.body as string | undefined) ?? '';
          if (mediaTypeOf(request) !== 'application/x-www-form-urlencoded')
            return sendPage(request, reply, 'invalid-request');
          if (parameters.length > MAX_PARAMETERS) return sendPage(request, reply, 'too-large');
          return withPages(sendPage, request, reply, async () => {
            const stored = await authorization.storeAuthorizationRequest({ parameters }, callOptions(request));
            return redirect(reply, `${apiRootOf(request)}/auth/oauth2/authorize?${stored.parameters}`);
          });
        },
      });
    });
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

/** Browsers see a page, too, if they have too many open requests. */
async function withPages(
  sendPage: SendErrorPage,
  request: FastifyRequest,
  reply: FastifyReply,
  handle: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await handle();
  } catch (error) {
    if (!(error instanceof RpcError && error.status.reason === 'TOO_MANY_REQUESTS')) throw error;
    return sendPage(request, reply.header('retry-after', 60), 'too-many-open');
  }
}

function redirect(reply: FastifyReply, location: string): FastifyReply {
  return reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(location, 303);
}

/** Returns the query as it came. */
function queryOf({ originalUrl }: FastifyRequest): string {
  const begin = originalUrl.indexOf('?');
  return begin === -1 ? '' : originalUrl.slice(begin + 1);
}
