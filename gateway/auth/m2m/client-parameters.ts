import Type from 'typebox';

/** The parameters that authenticate a client (RFC 6749 section 2.3.1), by their members in the RPCs' requests. */
export const CLIENT_PARAMETERS = { clientId: 'client_id', clientSecret: 'client_secret' } as const;

const CLIENT_ID = Type.String({ minLength: 1, description: 'Id of the client.' });
const CLIENT_SECRET = Type.String({ minLength: 1, description: 'Secret of the client.' });

/** The same in the schema of a JSON body, which no Basic authentication comes with. */
export const CLIENT_MEMBERS = { client_id: CLIENT_ID, client_secret: CLIENT_SECRET };

/** The same where a client may authenticate by Basic, or not at all: both or neither. */
export const OPTIONAL_CLIENT_MEMBERS = {
  client_id: Type.Optional(CLIENT_ID),
  client_secret: Type.Optional(CLIENT_SECRET),
};
export const CLIENT_MEMBERS_TOGETHER = {
  dependentRequired: { client_id: ['client_secret'], client_secret: ['client_id'] },
};

/** The parameters that name a token (RFC 7009 section 2.1, RFC 7662 section 2.1). */
export const TOKEN_PARAMETERS = { token: 'token', tokenTypeHint: 'token_type_hint' } as const;

/** A hint in a schema. */
export const HINT_MEMBER = {
  token_type_hint: Type.Optional(
    Type.String({ description: 'Ignored: the token itself says what it is.', examples: ['access_token'] }),
  ),
};
