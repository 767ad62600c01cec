// Forward authentication: a reverse proxy calls this endpoint for each request before it forwards it. See
// docs/forward-authentication.md.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { METHODS } from '../http/node-http.ts';
import { noBody, Type } from '../type.ts';
import { Permission } from '../../proto/gen/authservice/access/v1/access.ts';
import type { FieldRule } from '../../proto/gen/authservice/rule/v1/rule.ts';
import { documented } from '../schema/documented.ts';
import { authorizeFirst } from '../http/authorize-first.ts';
import type { Clients } from '../clients.ts';
import type { TypedApp } from '../context.ts';
import type { Endpoint, Route } from '../endpoint.ts';
import { ownDescriptors } from '../../src/platform/rpc/contract/descriptors.ts';
import { neverStored } from '../http/caching.ts';
import { callOptions } from '../http/call-options.ts';

/** Node does not pass requests with these methods to the server's routes. */
const NEVER_RECEIVED = ['CONNECT'];
/** Fastify serves HEAD beside GET. */
const OTHER_METHODS = METHODS.filter((method) => !['GET', 'HEAD', ...NEVER_RECEIVED].includes(method));
/** Fastify reads bodies for these methods only, unless a hook removes the body's headers. */
const WITH_BODY = ['DELETE', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

const PERMISSIONS = Object.keys(Permission).flatMap((name) => /^PERMISSION_(?!UNSPECIFIED)(.+)/.exec(name)?.[1] ?? []);

const [RULE, MAX_AGE] = ['permission', 'max_age'].map((field) =>
  ownDescriptors().ruleNamed(`authservice.identity.v1.VerifyAccessRequest.${field}`),
) as [FieldRule, FieldRule];

export interface VerifyOptions {
  /** Built-in permissions that do not exist, because no served module has them. */
  readonly missing: readonly string[];
  /** A permission that exists. */
  readonly example: string;
}

const querySchema = ({ missing, example }: VerifyOptions) => {
  const names = PERMISSIONS.filter((name) => !missing.includes(name));
  return Type.Object(
    {
      permission: Type.Optional(
        Type.Array(Type.String({ maxLength: RULE.max, ...documented({ enum: names }) }), {
          maxItems: RULE.items,
          description: 'Required permissions. The account needs all of them. The names are in docs/reference/rpcs.md.',
          examples: [[example]],
        }),
      ),
      // A text, because a number would also accept `1e2` and ` 1`.
      'max-age': Type.Optional(
        Type.String({
          pattern: `^[1-9]\\d{0,${String(MAX_AGE.max).length - 1}}$`,
          ...documented({ type: 'integer', minimum: MAX_AGE.min, maximum: MAX_AGE.max, pattern: undefined }),
          description:
            'How many seconds ago the user may have been authenticated last (RFC 9470). Earlier: 401. Tokens of machine clients satisfy ' +
            'each value, API keys none.',
          examples: [600],
        }),
      ),
      amr: Type.Optional(
        Type.String({
          pattern: '^mfa$',
          ...documented({ enum: ['mfa'], pattern: undefined }),
          description: 'The user must have been authenticated with a second factor or a passkey. Otherwise: 401.',
        }),
      ),
    },
    { additionalProperties: false },
  );
};

interface VerifyRequestQuery {
  readonly permission?: string[];
  readonly 'max-age'?: string;
  readonly amr?: string;
}

const HEADERS = {
  'Remote-User': 'Username, or client id of a service account.',
  'Remote-Name': 'Display name.',
  'Remote-Email': 'E-mail address.',
  'Remote-Groups': 'Roles without prefix, separated by commas.',
  'X-Auth-Subject': 'Account id.',
  'X-Auth-Tenant': 'Tenant id.',
  'X-Auth-Time': 'When the user was authenticated last, in Unix seconds.',
  'X-Auth-Methods': 'How the user was authenticated (RFC 8176), separated by commas.',
};

const Verified = noBody(
  'The account may send the request. All headers are present. The value `-` means that there is none.',
  Object.fromEntries(Object.entries(HEADERS).map(([name, description]) => [name, Type.String({ description })])),
);

/**
 * Endpoint: returns whether the credential of a request is valid, and its account. Serves every method and never reads a body.
 */
export function verify(options: VerifyOptions): Endpoint {
  const querystring = querySchema(options);
  return (app, { identity }, route) => addRoutes(app, identity, { route, querystring });
}

function addRoutes(
  app: TypedApp,
  identity: Clients['identity'],
  { route, querystring }: { readonly route: Route; readonly querystring: ReturnType<typeof querySchema> },
): void {
  const common = {
    ...route,
    config: {
      ...route.config,
      // A proxy may forward a preflight request here. It is checked like every other request.
      cors: false,
    },
    onRequest: [neverStored, ignoreBody],
    preValidation: listPermissions,
    errorHandler: authorizeFirst((_request, options) => identity.verifyAccess({ permission: [] }, options)),
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      const { permission = [], 'max-age': maxAge, amr } = request.query as VerifyRequestQuery;
      const required = { permission, amr, maxAge: maxAge === undefined ? undefined : Number(maxAge) };
      const { headers } = await identity.verifyAccess(required, callOptions(request));
      for (const { name, value } of headers) reply.header(name, value);
      return reply.send();
    },
  };
  for (const method of OTHER_METHODS) {
    if (!WITH_BODY.includes(method)) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }
  app.route({
    ...common,
    schema: {
      summary: 'Verify the credential of a request',
      description: 'For reverse proxies. Every other method is served in the same way. A body is not read.',
      tags: ['Session'],
      querystring,
      response: { 200: Verified },
    },
  });
  app.route({
    ...common,
    method: OTHER_METHODS,
    schema: { hide: true, querystring },
  });
}

/** Turns a parameter that was sent once into a list of one. */
function listPermissions(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const query = request.query as { permission?: unknown };
  if (typeof query.permission === 'string') query.permission = [query.permission];
  done();
}

/**
 * A hook for routes that never read a body. It removes the body's headers, so that Fastify does not read one. Node discards a body
 * that is sent anyway, so the connection can be reused.
 */
function ignoreBody(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const { headers } = request.raw;
  delete headers['content-type'];
  delete headers['content-length'];
  delete headers['transfer-encoding'];
  done();
}
