import { Type } from '../../type.ts';
import type { IntrospectTokenResponse } from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { isBoolean, isTime, memberOf, type Member } from '../../contract/members.ts';
import { declared, descriptionOf, methodOf } from '../declared.ts';
import { clientEndpoint } from './client-endpoint.ts';
import { tokenRequest } from './client-parameters.ts';

const INTROSPECT = methodOf('ClientCredentialsService', 'IntrospectToken');

/** The members of the response. Times are Unix seconds. */
const MEMBERS = INTROSPECT.output.fields.map(memberOf);

function schemaOf({ name, path, field }: Member) {
  const options = declared(INTROSPECT.output, path);
  if (name === 'active') return Type.Boolean(options);
  if (isTime(field)) return Type.Optional(Type.Integer(options));
  if (isBoolean(field)) return Type.Optional(Type.Boolean(options));
  return Type.Optional(field.fieldKind === 'list' ? Type.Array(Type.String(), options) : Type.String(options));
}

const IntrospectTokenResponseBody = Type.Unsafe<object>(
  Type.Object(Object.fromEntries(MEMBERS.map((member) => [member.name, schemaOf(member)])), {
    title: 'IntrospectTokenResponse',
    description: descriptionOf(INTROSPECT.output),
    examples: [
      {
        active: true,
        sub: '0190a000-0000-7000-8000-000000000001',
        client_id: 'service',
        username: 'alice@acme.test',
        tenantId: 'acme',
        roles: ['ROLE_CLERK'],
        scope: 'MANAGE_USERS invoices:read',
        iss: 'https://auth.example.com',
        aud: 'service',
        iat: 1_767_323_045,
        exp: 1_767_323_945,
        jti: '0f6a3b2e-7c1d-4b7e-9c55-2f5a1f0f9a10',
        sid: '0190a000-0000-7000-8000-0000000000aa',
        token_type: 'Bearer',
        auth_time: 1_767_323_045,
        amr: ['pwd'],
        emailVerified: true,
      },
      { active: false },
    ],
  }),
);

/** Endpoint: returns whether a token is valid now, and its account (RFC 7662). For machine clients. */
export const introspect = clientEndpoint({
  rpc: INTROSPECT,
  body: tokenRequest(INTROSPECT),
  summary: 'Introspect a token',
  response: IntrospectTokenResponseBody,
  handle: async ({ clientCredentials }, request, options) =>
    introspectionBody(await clientCredentials.introspectToken(request, options)),
});

function introspectionBody(token: IntrospectTokenResponse): object {
  if (!token.active) return { active: false };
  const values: Readonly<Record<string, unknown>> = { ...token };
  return Object.fromEntries(
    MEMBERS.map(({ name, key, field }) => [
      name,
      isTime(field) ? unixSeconds(values[key] as Date) : shown(values[key]),
    ]),
  );
}

/** Leaves out an empty list: the token has no such member. */
function shown(value: unknown): unknown {
  return Array.isArray(value) && value.length === 0 ? undefined : value;
}

/** Rounds down, so that callers do not cache the response longer than the token is valid. */
function unixSeconds(time: Date | undefined): number | undefined {
  return time && Math.floor(time.getTime() / 1000);
}
