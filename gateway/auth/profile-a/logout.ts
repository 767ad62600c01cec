import { Type } from '../../type.ts';
import { errorsOf } from '../../contract/contracts.ts';
import { RefreshTokenTransport } from '../../../proto/gen/authservice/session/v1/session_service.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { ignoreTypeOfEmptyBody } from '../../http/json-body.ts';
import { noStore } from '../../http/caching.ts';
import { SET_COOKIE, type RefreshCookies } from './refresh-cookie.ts';

/** The type `null` documents in OpenAPI that there is no body. */
const LoggedOut = Type.Unsafe<undefined>({
  type: 'null',
  description: 'The session has ended. The body is empty; Set-Cookie clears the refresh cookie.',
  headers: SET_COOKIE,
});

/** Endpoint: ends the session of the bearer token, of the refresh cookie, or of both. Succeeds without either. */
export function logout(cookies: RefreshCookies): Endpoint {
  return (app, { session }, route) =>
    app.route({
      ...route,
      config: {
        ...route.config,
        checksCredential: true,
        // Without a token, the call succeeds.
        failures: errorsOf(route.config.rpc!, ['TOKEN_MISSING', 'VALIDATION_ERROR']),
      },
      schema: {
        summary: 'Log out',
        tags: ['Session'],
        security: [{}, { bearer: [] }, { refreshCookie: [] }],
        response: { 200: LoggedOut },
      },
      onRequest: [noStore, ignoreTypeOfEmptyBody],
      handler: async (request, reply) => {
        const refreshTokens = cookies.read(request);
        const refreshTokenTransport = RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_COOKIE;
        const { refreshCookieName } = await session.logout(
          { refreshTokens, refreshTokenTransport, ...cookies.originOf(request) },
          callOptions(request),
        );
        cookies.clear(reply, refreshCookieName);
        return reply.send();
      },
    });
}
