import type { DescMessage, DescMethod } from '../../../src/platform/rpc/contract/descriptors.ts';
import { Type } from '../../type.ts';
import { declared, descriptionOf } from '../declared.ts';

/** Returns the names of parameters by the members of the RPC's request. All its texts are parameters. */
export function parametersOf({ fields }: DescMessage): Readonly<Record<string, string>> {
  const texts = fields.filter(({ message }) => message === undefined);
  return Object.fromEntries(texts.map(({ localName, name }) => [localName, name]));
}

/** Unknown parameters are ignored (RFC 6749 section 3.2). A repeated parameter is an error, even if it is unknown. */
export const FURTHER_PARAMETERS = { additionalProperties: Type.String() };

/** Returns the schema of a request about a token. Only the token is required. */
export function tokenRequest({ input }: DescMethod) {
  const optional = (name: string) => Type.Optional(Type.String(declared(input, name)));
  const members = {
    token: Type.String({ minLength: 1, ...declared(input, 'token') }),
    token_type_hint: optional('token_type_hint'),
    client_id: optional('client_id'),
    client_secret: optional('client_secret'),
    client_assertion_type: optional('client_assertion_type'),
    client_assertion: optional('client_assertion'),
  };
  return Type.Object(members, { ...FURTHER_PARAMETERS, description: descriptionOf(input) });
}
