import type { DescMethod } from '../../../src/platform/rpc/contract/descriptors.ts';
import { Type } from '../../type.ts';
import { declared, descriptionOf } from '../declared.ts';

/** The parameters that authenticate a client (RFC 6749 section 2.3.1). The keys are members of the RPCs' requests. */
export const CLIENT_PARAMETERS = { clientId: 'client_id', clientSecret: 'client_secret' } as const;

/** Unknown parameters are ignored (RFC 6749 section 3.2). A repeated parameter is an error, even if it is unknown. */
export const FURTHER_PARAMETERS = { additionalProperties: Type.String() };

/** The parameters that identify a token (RFC 7009 section 2.1, RFC 7662 section 2.1). */
export const TOKEN_PARAMETERS = { token: 'token', tokenTypeHint: 'token_type_hint' } as const;

/** Returns the schema of a request about a token. Only the token is required. */
export function tokenRequest({ input }: DescMethod) {
  const optional = (name: string) => Type.Optional(Type.String(declared(input, name)));
  const members = {
    token: Type.String({ minLength: 1, ...declared(input, 'token') }),
    token_type_hint: optional('token_type_hint'),
    client_id: optional('client_id'),
    client_secret: optional('client_secret'),
  };
  return Type.Object(members, { ...FURTHER_PARAMETERS, description: descriptionOf(input) });
}
