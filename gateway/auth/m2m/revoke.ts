import { Type } from '../../type.ts';
import type { Endpoint } from '../../endpoint.ts';
import { clientEndpoint } from './client-endpoint.ts';
import {
  CLIENT_MEMBERS,
  CLIENT_PARAMETERS,
  FURTHER_PARAMETERS,
  HINT_MEMBER,
  TOKEN_PARAMETERS,
} from './client-parameters.ts';

const RevokeTokenRequest = Type.Object(
  {
    token: Type.String({
      minLength: 1,
      description: 'An access token, the value of a refresh cookie, or the refresh token of Profile B.',
      examples: ['ACCESS_TOKEN'],
    }),
    ...HINT_MEMBER,
    ...CLIENT_MEMBERS,
  },
  { ...FURTHER_PARAMETERS, description: 'A token to revoke (RFC 7009 section 2.1).' },
);

/** The type `null` documents in OpenAPI that there is no body. */
const Revoked = Type.Unsafe<undefined>({
  type: 'null',
  description: 'The token is revoked, or it was not a token that the caller can revoke. The body is empty.',
});

/** Endpoint: revokes a token (RFC 7009). Any holder can revoke a user's token. Only the client can revoke its own token. */
export function revoke(): Endpoint {
  return clientEndpoint({
    parameters: { ...TOKEN_PARAMETERS, ...CLIENT_PARAMETERS },
    body: RevokeTokenRequest,
    schema: {
      summary: 'Revoke a token',
      security: [{}, { clientBasic: [] }],
      response: { 200: Revoked },
    },
    handle: async (client, request, options, reply) => {
      await client.revokeToken(request, options);
      return reply.send();
    },
  });
}
