import { Type } from '../../type.ts';
import { errorsOf } from '../../contract/contracts.ts';
import { RefreshTokenTransport } from '../../../proto/gen/authservice/session/v1/session_service.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { browserOrigin } from '../../http/origins.ts';
import { ignoreTypeOfEmptyBody } from '../../http/json-body.ts';
import { noStore } from '../../http/caching.ts';

const LoggedOut = Type.Object(
  { message: Type.Literal('Logged out successfully') },
  {
    title: 'LogoutResponse',
    description: 'The session has ended. Its access and refresh tokens are no longer valid.',
  },
);

/** Endpoint: ends the session of the bearer token. */
export function logout(): Endpoint {
  return (app, { session }, route) =>
    app.route({
      ...route,
      config: {
        ...route.config,
        checksCredential: true,
        failures: errorsOf(route.config.rpc!, ['VALIDATION_ERROR']),
      },
      schema: {
        summary: 'Log out',
        tags: ['Session'],
        security: [{ bearer: [] }],
        response: { 200: LoggedOut },
      },
      onRequest: [noStore, ignoreTypeOfEmptyBody],
      handler: async (request) => {
        const refreshTokenTransport = RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_BODY;
        await session.logout(
          { refreshTokens: [], refreshTokenTransport, browserOrigin: browserOrigin(request) },
          callOptions(request),
        );
        return { message: 'Logged out successfully' as const };
      },
    });
}
