import { noBody } from '../../type.ts';
import { methodOf } from '../declared.ts';
import { clientEndpoint } from './client-endpoint.ts';
import { tokenRequest } from './client-parameters.ts';

const REVOKE = methodOf('ClientCredentialsService', 'RevokeToken');

/** Endpoint: revokes a token (RFC 7009). Any holder can revoke a user's token. Only the client can revoke its own token. */
export const revoke = clientEndpoint({
  rpc: REVOKE,
  body: tokenRequest(REVOKE),
  summary: 'Revoke a token',
  response: noBody('The token is revoked, or it was not a token that the caller can revoke. The body is empty.'),
  handle: async ({ clientCredentials }, request, options, reply) => {
    await clientCredentials.revokeToken(request, options);
    return reply.send();
  },
});
