import { Type } from '../../type.ts';
import type { Endpoint } from '../../endpoint.ts';
import { methodOf } from '../declared.ts';
import { clientEndpoint } from './client-endpoint.ts';
import { CLIENT_PARAMETERS, TOKEN_PARAMETERS, tokenRequest } from './client-parameters.ts';

const REVOKE = methodOf('ClientCredentialsService', 'RevokeToken');

/** The type `null` documents in OpenAPI that there is no body. */
const Revoked = Type.Unsafe<undefined>({
  type: 'null',
  description: 'The token is revoked, or it was not a token that the caller can revoke. The body is empty.',
});

/** Endpoint: revokes a token (RFC 7009). Any holder can revoke a user's token. Only the client can revoke its own token. */
export function revoke(): Endpoint {
  return clientEndpoint({
    parameters: { ...TOKEN_PARAMETERS, ...CLIENT_PARAMETERS },
    body: tokenRequest(REVOKE),
    schema: {
      summary: 'Revoke a token',
      response: { 200: Revoked },
    },
    handle: async (client, request, options, reply) => {
      await client.revokeToken(request, options);
      return reply.send();
    },
  });
}
