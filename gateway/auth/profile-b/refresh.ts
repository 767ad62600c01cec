import { optionalField, Type } from '../../type.ts';
import { errorsOf } from '../../contract/contracts.ts';
import { RefreshTokenTransport, RequestOrigin } from '../../../proto/gen/authservice/session/v1/session_service.ts';
import type { Endpoint } from '../../endpoint.ts';
import { GatewayError } from '../../errors/gateway-error.ts';
import { violationsOf } from '../../schema/violations.ts';
import { callOptions } from '../../http/call-options.ts';
import { browserOrigin } from '../../http/origins.ts';
import { noStore } from '../../http/caching.ts';
import { ACCESS_TOKEN, accessTokenOf, refreshTokenOf } from './tokens.ts';

const RefreshRequest = Type.Object(
  {
    refresh_token: Type.String({ description: 'The token of the last login or refresh. Valid once.', minLength: 1 }),
  },
  { description: 'The refresh token.' },
);

const RefreshResponse = Type.Object(
  {
    ...ACCESS_TOKEN,
    refresh_token: optionalField(
      Type.String({
        description:
          'The next refresh token. It expires when the token of the login would have. Absent if the deployment does not return it.',
      }),
    ),
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
export function refresh(returnsRotated: boolean): Endpoint {
  return (app, { session }, route) =>
    app.route({
      ...route,
      config: {
        ...route.config,
        checksCredential: true,
        failures: ['VALIDATION_ERROR', ...errorsOf(route.config.rpc!)],
      },
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
        const reply = await session.refresh(
          {
            refreshTokens: [request.body.refresh_token],
            // Browsers do not send this token by themselves, so the listed origins do not matter.
            origin: RequestOrigin.REQUEST_ORIGIN_UNSPECIFIED,
            refreshTokenTransport: RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_BODY,
            browserOrigin: browserOrigin(request),
          },
          callOptions(request),
        );
        const next = refreshTokenOf(reply);
        return { ...accessTokenOf(reply), ...(returnsRotated && { refresh_token: next }) };
      },
    });
}
