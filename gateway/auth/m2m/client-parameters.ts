import { Type } from '../../type.ts';

/** The parameters that authenticate a client (RFC 6749 section 2.3.1). The keys are members of the RPCs' requests. */
export const CLIENT_PARAMETERS = { clientId: 'client_id', clientSecret: 'client_secret' } as const;

/** Schemas of the parameters that authenticate a client. Endpoints that require them add that. */
export const CLIENT_MEMBERS = {
  client_id: Type.Optional(
    Type.String({ description: 'Id of the client. With Basic authentication, omitted or the same id.' }),
  ),
  client_secret: Type.Optional(
    Type.String({ description: 'Secret of the client. Omitted with Basic authentication.' }),
  ),
};

/** Unknown parameters are ignored (RFC 6749 section 3.2). A repeated parameter is an error, even if it is unknown. */
export const FURTHER_PARAMETERS = { additionalProperties: Type.String() };

/** The parameters that identify a token (RFC 7009 section 2.1, RFC 7662 section 2.1). */
export const TOKEN_PARAMETERS = { token: 'token', tokenTypeHint: 'token_type_hint' } as const;

/** Schema of the parameter `token_type_hint`. */
export const HINT_MEMBER = {
  token_type_hint: Type.Optional(
    Type.String({
      description: 'Ignored: the service recognizes the type from the token.',
      examples: ['access_token'],
    }),
  ),
};
