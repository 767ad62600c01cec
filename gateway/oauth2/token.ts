import { accessTokenMembers, accessTokenOf, declared, descriptionOf, methodOf } from '../auth/declared.ts';
import { clientEndpoint } from '../auth/m2m/client-endpoint.ts';
import { FURTHER_PARAMETERS, parametersOf } from '../auth/m2m/client-parameters.ts';
import { Type } from '../type.ts';

const EXCHANGE = methodOf('AuthorizationService', 'ExchangeToken');
const { input, output } = EXCHANGE;

const optional = (name: string) => Type.Optional(Type.String(declared(input, name)));

const ExchangeTokenForm = Type.Object(
  {
    ...Object.fromEntries(Object.values(parametersOf(input)).map((name) => [name, optional(name)])),
    grant_type: Type.String({ minLength: 1, ...declared(input, 'grant_type') }),
  },
  { ...FURTHER_PARAMETERS, title: 'ExchangeTokenForm', description: descriptionOf(input) },
);

const member = (name: string) => Type.Optional(Type.String(declared(output, name)));

const ExchangeTokenResponse = Type.Object(
  {
    ...accessTokenMembers(output),
    refresh_token: member('refresh_token'),
    id_token: member('id_token'),
    scope: member('scope'),
  },
  { title: 'ExchangeTokenResponse', description: descriptionOf(output) },
);

/** Endpoint: issues tokens for a code, for a refresh token, or to a service account (OAuth 2.1 section 3.2). */
export const exchangeToken = clientEndpoint({
  rpc: EXCHANGE,
  body: ExchangeTokenForm,
  jsonBody: 'none',
  tag: 'OpenID provider',
  summary: 'Exchange a code or a refresh token for tokens',
  response: ExchangeTokenResponse,
  async handle({ authorization }, request, options) {
    const { refreshToken, idToken, scope, ...access } = await authorization.exchangeToken(request, options);
    return {
      ...accessTokenOf(access),
      ...(refreshToken !== undefined && { refresh_token: refreshToken }),
      ...(idToken !== undefined && { id_token: idToken }),
      ...(scope !== undefined && { scope }),
    };
  },
});
