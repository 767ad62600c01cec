import { Type } from '../../type.ts';
import type { IntrospectTokenResponse } from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import type { Endpoint } from '../../endpoint.ts';
import { OptionalString } from '../optional-string.ts';
import { clientEndpoint } from './client-endpoint.ts';
import {
  CLIENT_MEMBERS,
  CLIENT_PARAMETERS,
  FURTHER_PARAMETERS,
  HINT_MEMBER,
  TOKEN_PARAMETERS,
} from './client-parameters.ts';

const IntrospectTokenRequest = Type.Object(
  {
    token: Type.String({
      minLength: 1,
      description: 'An access token or an API key.',
      examples: ['ACCESS_TOKEN'],
    }),
    ...HINT_MEMBER,
    ...CLIENT_MEMBERS,
  },
  { ...FURTHER_PARAMETERS, description: 'A token to introspect (RFC 7662 section 2.1).' },
);

const OptionalSeconds = (description: string) =>
  Type.Optional(Type.Unsafe<number | undefined>(Type.Integer({ description })));

const IntrospectTokenResponseBody = Type.Object(
  {
    active: Type.Boolean({ description: 'Whether the token is accepted now. If not, there are no further members.' }),
    sub: OptionalString('Id of the account.'),
    client_id: OptionalString(
      'Client that the token was issued to; for an API key the client id of its service account.',
    ),
    username: OptionalString('Username of the account; the client id of a service account.'),
    tenantId: OptionalString('Tenant of the account.'),
    roles: Type.Optional(
      Type.Unsafe<string[] | undefined>(
        Type.Array(Type.String(), { description: 'Current roles of the account, including inherited roles.' }),
      ),
    ),
    scope: OptionalString('Current permissions of the account, separated by spaces.'),
    iss: OptionalString('Issuer. Not for API keys.'),
    aud: OptionalString('Audience. Not for API keys.'),
    iat: OptionalSeconds('When the token was issued, Unix seconds. Not for API keys.'),
    exp: OptionalSeconds('When the token expires, Unix seconds. Not for API keys that do not expire.'),
    jti: OptionalString('Id of the token. Not for API keys.'),
    sid: OptionalString("Session of a user's token."),
    token_type: OptionalString('`Bearer`, or `api_key` for an API key.'),
  },
  {
    title: 'IntrospectTokenResponse',
    description: 'The state of the token (RFC 7662 section 2.2).',
    examples: [
      {
        active: true,
        sub: '0190a000-0000-7000-8000-000000000001',
        client_id: 'service',
        username: 'alice@acme.test',
        tenantId: 'acme',
        roles: ['ROLE_ACCOUNTANT'],
        scope: 'READ_PRODUCTS READ_ORDERS READ_CUSTOMERS READ_DASHBOARD READ_REFERENCE_DATA',
        iss: 'https://auth.example.com',
        aud: 'service',
        iat: 1_767_323_045,
        exp: 1_767_323_945,
        jti: '0f6a3b2e-7c1d-4b7e-9c55-2f5a1f0f9a10',
        sid: '0190a000-0000-7000-8000-0000000000aa',
        token_type: 'Bearer',
      },
      { active: false },
    ],
  },
);

/** Endpoint: returns whether a token is valid now, and its account (RFC 7662). For machine clients. */
export function introspect(): Endpoint {
  return clientEndpoint({
    parameters: { ...TOKEN_PARAMETERS, ...CLIENT_PARAMETERS },
    body: IntrospectTokenRequest,
    schema: {
      summary: 'Introspect a token',
      security: [{}, { clientBasic: [] }],
      response: { 200: IntrospectTokenResponseBody },
    },
    handle: async (client, request, options) => introspectionBody(await client.introspectToken(request, options)),
  });
}

function introspectionBody(token: IntrospectTokenResponse) {
  if (!token.active) return { active: false };
  const { sub, clientId, username, tenantId, roles, scope, iss, aud, issuedAt, expiresAt, jti, sessionId } = token;
  return {
    active: true,
    sub,
    client_id: clientId,
    username,
    tenantId,
    roles,
    scope,
    iss,
    aud,
    iat: unixSeconds(issuedAt),
    exp: unixSeconds(expiresAt),
    jti,
    sid: sessionId,
    token_type: token.tokenType,
  };
}

/** Rounds down, so that callers do not cache the response longer than the token is valid. */
function unixSeconds(time: Date | undefined): number | undefined {
  return time && Math.floor(time.getTime() / 1000);
}
