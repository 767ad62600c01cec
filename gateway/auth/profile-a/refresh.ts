import type { FastifyRequest } from 'fastify';
import { Type } from '../../type.ts';
import { declared, methodOf } from '../declared.ts';
import { errorsOf } from '../../contract/contracts.ts';
import { RefreshTokenTransport } from '../../../proto/gen/authservice/session/v1/session_service.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { ignoreTypeOfEmptyBody } from '../../http/json-body.ts';
import { noStore } from '../../http/caching.ts';
import { SET_COOKIE, type RefreshCookies } from './refresh-cookie.ts';

const REFRESH = methodOf('SessionService', 'Refresh');

const RefreshResponse = Type.Object(
  {
    accessToken: Type.String(declared(REFRESH.output, 'access_token')),
    expiresIn: Type.Integer(declared(REFRESH.output, 'expires_in')),
  },
  {
    title: 'RefreshResponse',
    description: 'The session continues. Set-Cookie carries the next refresh token.',
    headers: SET_COOKIE,
  },
);

/**
 * Endpoint: exchanges the refresh cookie for a new access token and the next cookie.
 *
 * @param credentialsOf Returns the refresh tokens of a request, at most MAX_REFRESH_TOKENS. The core decides if there are several.
 */
export function refresh(cookies: RefreshCookies, credentialsOf: (request: FastifyRequest) => string[]): Endpoint {
  return (app, { session }, route) =>
    app.route({
      ...route,
      config: { ...route.config, checksCredential: true, failures: errorsOf(route.config.rpc!) },
      schema: {
        summary: 'Refresh the session',
        tags: ['Session'],
        security: [{ refreshCookie: [] }],
        response: { 200: RefreshResponse },
      },
      onRequest: [noStore, ignoreTypeOfEmptyBody],
      handler: async (request, reply) => {
        const { accessToken, expiresIn, refreshCookie } = await session.refresh(
          {
            refreshTokens: credentialsOf(request),
            ...cookies.originOf(request),
            refreshTokenTransport: RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_COOKIE,
          },
          callOptions(request),
        );
        cookies.write(request, reply, refreshCookie);
        return { accessToken, expiresIn };
      },
    });
}
