import Type from 'typebox';

/** The parameters that authenticate a client (RFC 6749 section 2.3.1), by their members in the RPCs' requests. */
export const CLIENT_PARAMETERS = { clientId: 'client_id', clientSecret: 'client_secret' } as const;

/** The same in a schema. An endpoint that demands them says so itself. */
export const CLIENT_MEMBERS = {
  client_id: Type.Optional(
    Type.String({ description: 'Id of the client. Left out with Basic authentication, or the same.' }),
  ),
  client_secret: Type.Optional(
    Type.String({ description: 'Secret of the client. Left out with Basic authentication.' }),
  ),
};

/** Further parameters are ignored (RFC 6749 section 3.2); none may come twice. */
export const FURTHER_PARAMETERS = { additionalProperties: Type.String() };

/** The parameters that name a token (RFC 7009 section 2.1, RFC 7662 section 2.1). */
export const TOKEN_PARAMETERS = { token: 'token', tokenTypeHint: 'token_type_hint' } as const;

/** A hint in a schema. */
export const HINT_MEMBER = {
  token_type_hint: Type.Optional(
    Type.String({ description: 'Ignored: the token itself says what it is.', examples: ['access_token'] }),
  ),
};
