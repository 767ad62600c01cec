import { Type } from '../../type.ts';
import { accessTokenMembers, accessTokenOf, declared, descriptionOf, methodOf } from '../declared.ts';
import { clientEndpoint } from './client-endpoint.ts';
import { FURTHER_PARAMETERS } from './client-parameters.ts';

const ISSUE = methodOf('ClientCredentialsService', 'IssueToken');
const { input, output } = ISSUE;
const description = descriptionOf(input);

const TokenForm = Type.Object(
  {
    grant_type: Type.Literal('client_credentials'),
    client_id: Type.Optional(Type.String({ minLength: 1, ...declared(input, 'client_id') })),
    client_secret: Type.Optional(Type.String({ minLength: 1, ...declared(input, 'client_secret') })),
    scope: Type.Optional(Type.String({ ...declared(input, 'scope'), maxLength: 0 })),
  },
  {
    ...FURTHER_PARAMETERS,
    dependentRequired: { client_id: ['client_secret'], client_secret: ['client_id'] },
    title: 'IssueTokenForm',
    description,
  },
);

/** JSON requests cannot use Basic authentication, so they require id and secret. */
const TokenRequest = Type.Unsafe<unknown>({
  allOf: [TokenForm, { type: 'object', required: ['client_id', 'client_secret'] }],
  description,
});

/** Endpoint: issues an access token to a machine client that authenticates by form, Basic or JSON. */
export const token = clientEndpoint({
  rpc: ISSUE,
  body: TokenForm,
  jsonBody: TokenRequest,
  summary: 'Issue a token to a machine client',
  response: Type.Object(accessTokenMembers(output), {
    title: 'IssueTokenResponse',
    description: descriptionOf(output),
  }),
  handle: async ({ clientCredentials }, request, options) =>
    accessTokenOf(await clientCredentials.issueToken(request, options)),
});
