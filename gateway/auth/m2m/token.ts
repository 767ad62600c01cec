import Type from 'typebox';
import type { TypedApp } from '../../context.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { noStore } from '../no-store.ts';
import { readTokenRequest } from './token-request.ts';

const TokenRequest = Type.Object(
  {
    grant_type: Type.Literal('client_credentials'),
    client_id: Type.Optional(Type.String({ description: 'Left out with Basic authentication, or the same.' })),
    client_secret: Type.Optional(Type.String({ description: 'Left out with Basic authentication.' })),
    scope: Type.Optional(Type.String({ description: 'Not supported: must be left out or empty.', maxLength: 0 })),
  },
  { description: 'The client credentials grant (RFC 6749 section 4.4).' },
);

const TokenResponse = Type.Object(
  {
    access_token: Type.String({ description: 'JWT for the Authorization header.' }),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Lifetime of the access token in seconds.', examples: [300] }),
  },
  { description: 'The access token. There is no refresh token (RFC 6749 section 4.4.3).' },
);

/** Issues an access token to a machine client that authenticates by form, Basic or JSON. */
export function token(): Endpoint {
  return (app, { clientCredentials }, route) =>
    // A scope of its own: nowhere else is any media type but JSON accepted.
    app.register(async (scope: TypedApp) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => body);
      scope.route({
        ...route,
        config: {
          ...route.config,
          checksCredential: true,
          oauthErrors: true,
          failures: [
            'INVALID_REQUEST',
            'UNSUPPORTED_GRANT_TYPE',
            'INVALID_SCOPE',
            'TOO_MANY_REQUESTS',
            'INVALID_CLIENT',
          ],
        },
        schema: {
          summary: 'Issue a token to a machine client',
          tags: ['Machine clients'],
          security: [{}, { clientBasic: [] }],
          body: {
            content: {
              'application/x-www-form-urlencoded': { schema: TokenRequest },
              'application/json': { schema: TokenRequest },
            },
          },
          response: { 200: TokenResponse },
        },
        // The body is read in its dialect below; the schema only describes it.
        validatorCompiler: () => () => true,
        onRequest: noStore,
        handler: async (request) => {
          const options = callOptions(request);
          const body = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
          const tokenRequest = readTokenRequest(request, body, options.authorization ?? []);
          const { accessToken, expiresIn } = await clientCredentials.issueToken(tokenRequest, options);
          return { access_token: accessToken, token_type: 'Bearer' as const, expires_in: expiresIn };
        },
      });
    });
}
