import Type from 'typebox';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { ignoreTypeOfEmptyBody } from '../../http/json-body.ts';
import { originMatcher, requestOrigin } from '../../http/origins.ts';
import type { AllowedOrigins } from '../../http/origins.ts';
import { noStore } from '../no-store.ts';
import type { RefreshCookies } from './refresh-cookie.ts';

const RefreshResponse = Type.Object(
  {
    accessToken: Type.String({ description: 'JWT for the Authorization header.' }),
    expiresIn: Type.Integer({ description: 'Lifetime of the access token in seconds.', examples: [900] }),
  },
  { description: 'The session goes on. Set-Cookie carries its next refresh credential.' },
);

/** Exchanges the refresh cookie for a new access token and the next cookie. */
export function refresh(cookies: RefreshCookies, allowedOrigins: AllowedOrigins): Endpoint {
  const isListed = originMatcher(allowedOrigins);
  return (app, { session }, route) =>
    app.route({
      ...route,
      config: { ...route.config, checksCredential: true, failures: ['REFRESH_SESSION_INVALID'] },
      schema: {
        summary: 'Renew the access token',
        tags: ['Session'],
        security: [{ refreshCookie: [] }],
        response: { 200: RefreshResponse },
      },
      onRequest: [noStore, ignoreTypeOfEmptyBody],
      handler: async (request, reply) => {
        const { accessToken, expiresIn, refreshCookie } = await session.refresh(
          { refreshCredentials: cookies.read(request), origin: requestOrigin(request, isListed) },
          callOptions(request),
        );
        cookies.write(request, reply, refreshCookie);
        return { accessToken, expiresIn };
      },
    });
}
