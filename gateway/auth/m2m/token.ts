import Type from 'typebox';
import type { Endpoint } from '../../endpoint.ts';
import { clientEndpoint } from './client-endpoint.ts';
import {
  CLIENT_MEMBERS,
  CLIENT_MEMBERS_TOGETHER,
  CLIENT_PARAMETERS,
  OPTIONAL_CLIENT_MEMBERS,
} from './client-parameters.ts';

const GRANT = {
  grant_type: Type.Literal('client_credentials'),
  scope: Type.Optional(Type.String({ description: 'Not supported: must be left out or empty.', maxLength: 0 })),
};
const description = 'The client credentials grant (RFC 6749 section 4.4).';

const BODIES = {
  json: Type.Object({ ...GRANT, ...CLIENT_MEMBERS }, { description }),
  form: Type.Object(
    { ...GRANT, ...OPTIONAL_CLIENT_MEMBERS },
    { ...CLIENT_MEMBERS_TOGETHER, title: 'IssueTokenForm', description },
  ),
};

const TokenResponse = Type.Object(
  {
    access_token: Type.String({ description: 'JWT for the Authorization header.' }),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Lifetime of the access token in seconds.', examples: [300] }),
  },
  { title: 'IssueTokenResponse', description: 'The access token. There is no refresh token (RFC 6749 section 4.4.3).' },
);

/** Members of the RPC's request, each with its parameter. */
export const TOKEN_REQUEST_PARAMETERS = { grantType: 'grant_type', ...CLIENT_PARAMETERS, scope: 'scope' } as const;

/** Issues an access token to a machine client that authenticates by form, Basic or JSON. */
export function token(): Endpoint {
  return clientEndpoint({
    parameters: TOKEN_REQUEST_PARAMETERS,
    bodies: BODIES,
    failures: ['INVALID_REQUEST', 'UNSUPPORTED_GRANT_TYPE', 'INVALID_SCOPE', 'TOO_MANY_REQUESTS', 'INVALID_CLIENT'],
    schema: {
      summary: 'Issue a token to a machine client',
      security: [{}, { clientBasic: [] }],
      response: { 200: TokenResponse },
    },
    handle: async (client, request, options) => {
      const { accessToken, expiresIn } = await client.issueToken(request, options);
      return { access_token: accessToken, token_type: 'Bearer' as const, expires_in: expiresIn };
    },
  });
}
