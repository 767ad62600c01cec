// Declarations of the protos about messages, for the schemas of endpoints that are written by hand.
import { ownDescriptors, type DescMessage, type DescMethod } from '../../src/platform/rpc/contract/descriptors.ts';
import { TEXT_FORMATS } from '../../src/platform/rpc/contract/formats.ts';
import { commentOf, contracts } from '../contract/contracts.ts';
import { exampleOf } from '../contract/request-schemas.ts';
import { innerMessage, memberOf } from '../contract/members.ts';
import { documented } from '../schema/documented.ts';
import { optionalField, Type } from '../type.ts';

const PACKAGES = {
  IdentityService: 'identity',
  RecoveryService: 'identity',
  EmailService: 'identity',
  InvitationService: 'identity',
  SessionService: 'session',
  ClientCredentialsService: 'clientcredentials',
  AuthorizationService: 'oauth',
};

/** Returns the method of an RPC such as `SessionService`, `Login`. */
export function methodOf(service: keyof typeof PACKAGES, rpc: string): DescMethod {
  return contracts().methodOf(`authservice.${PACKAGES[service]}.v1.${service}/${rpc}`);
}

/** Returns the description and the example of a field, as options of its schema. */
export function declared(message: DescMessage, name: string): { description: string; examples?: unknown[] } {
  const field = message.fields.find((one) => one.name === name);
  if (field === undefined) throw new Error(`${message.typeName} has no field ${name}`);
  const examples = exampleOf(memberOf(field)).map(([, example]) => example);
  return { description: descriptionOf(message, name), ...(examples.length > 0 && { examples }) };
}

/** Returns the schema of a text in a request. Only the core checks its format. */
export function declaredText(message: DescMessage, name: string) {
  const rule = ownDescriptors().ruleNamed(`${message.typeName}.${name}`);
  const format = TEXT_FORMATS[rule.format]!;
  return Type.String({
    ...declared(message, name),
    ...documented({ ...format.schema(rule), ...format.documented(rule) }),
  });
}

/** Returns the schema of a field with FORMAT_JSON_OBJECT: a text in the message, an object in REST. */
export function jsonObject(message: DescMessage, name: string) {
  return Type.Object({}, { additionalProperties: true, ...declared(message, name) });
}

/** Parses the text of a field with FORMAT_JSON_OBJECT. */
export function parseObject(text: string): object {
  return JSON.parse(text) as object;
}

/** Returns the comment on a message or on one of its fields. */
export function descriptionOf({ typeName }: DescMessage, ...field: readonly string[]): string {
  return commentOf([typeName, ...field].join('.'));
}

/** Returns the schemas of the members of a response for its access token: value, type and lifetime (RFC 6749 section 5.1). */
export const accessTokenMembers = (output: DescMessage) => ({
  access_token: Type.String(declared(output, 'access_token')),
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Integer(declared(output, 'expires_in')),
});

/** Returns the members for the access token in a response of the core. */
export function accessTokenOf({ accessToken, expiresIn }: { accessToken: string; expiresIn: number }) {
  return { access_token: accessToken, token_type: 'Bearer' as const, expires_in: expiresIn };
}

const ACCOUNT = innerMessage(methodOf('IdentityService', 'GetMe').output.fields[0]!)!;

/** The schemas of an account's members. */
export const ACCOUNT_MEMBERS = {
  id: Type.String(declared(ACCOUNT, 'id')),
  username: Type.String(declared(ACCOUNT, 'username')),
  name: Type.String(declared(ACCOUNT, 'name')),
  email: optionalField(Type.String(declared(ACCOUNT, 'email'))),
  tenantId: optionalField(Type.String(declared(ACCOUNT, 'tenant_id'))),
  roles: Type.Array(Type.String({ examples: ['ROLE_MANAGER'] }), declared(ACCOUNT, 'roles')),
};
