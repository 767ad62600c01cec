// GET /openapi.json, made from the schemas that check the requests.
import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import Type from 'typebox';
import { tokenErrorOf } from '../auth/m2m/token-error.ts';
import type { GatewaySettings } from '../context.ts';
import { CATALOGUE } from '../errors/catalogue.ts';
import type { FailureName } from '../errors/catalogue.ts';

const Violation = Type.Object({
  message: Type.String({ description: 'What is wrong, for a person.' }),
  format: Type.Optional(Type.String({ description: 'The name of the broken rule.' })),
  props: Type.Optional(Type.Array(Type.String(), { description: 'The path to the field, outermost first.' })),
  params: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: "The rule's parameters." })),
});

const Problem = Type.Object(
  {
    type: Type.String({ examples: ['urn:service:error:validation-error'] }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'The actual reason, under maximal disclosure.' }),
    errorCode: Type.String({ description: 'Stable code; what clients branch on.', examples: ['validation-error'] }),
    instance: Type.Optional(Type.String({ description: 'Path of the request.' })),
    violations: Type.Optional(Type.Array(Violation)),
    exceptionType: Type.Optional(Type.String({ description: 'Maximal disclosure only.' })),
    exceptionMessage: Type.Optional(Type.String({ description: 'Maximal disclosure only.' })),
    stackTrace: Type.Optional(Type.String({ description: 'Maximal disclosure only.' })),
  },
  { description: 'A problem document (RFC 9457).' },
);

const OAuthError = Type.Object(
  {
    error: Type.String({ examples: ['invalid_client'] }),
    error_description: Type.String({ description: 'The actual reason under maximal disclosure, else the code.' }),
  },
  { description: 'An error of the token endpoint (RFC 6749 section 5.2).' },
);

/** How any route can fail before it is reached. */
const ANYWHERE: readonly FailureName[] = [
  'MALFORMED_REQUEST',
  'REQUEST_TIMEOUT',
  'HEADERS_TOO_LARGE',
  'INTERNAL_ERROR',
];
const WITH_BODY: readonly FailureName[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];

interface DescribedRoute {
  readonly method: string | readonly string[];
  readonly config?: {
    readonly rpc?: string | undefined;
    readonly checksCredential?: boolean;
    readonly failures?: readonly FailureName[];
    readonly oauthErrors?: boolean;
  };
}

function failuresOf({ method, config = {} }: DescribedRoute): FailureName[] {
  const outage = config.checksCredential ? 'AUTHENTICATION_SERVICE_UNAVAILABLE' : 'SERVICE_UNAVAILABLE';
  return [
    ...ANYWHERE,
    ...(method === 'POST' ? WITH_BODY : []),
    ...(config.rpc === undefined ? [] : [outage as FailureName]),
    ...(config.failures ?? []),
  ];
}

/** One response for each status, naming the error codes that it can carry. */
function errorResponses(failures: readonly FailureName[], oauthErrors: boolean): Record<string, unknown> {
  const codes = new Map<number, Set<string>>();
  for (const { status, code } of failures.map((name) => (oauthErrors ? tokenErrorOf(name) : CATALOGUE[name]))) {
    codes.set(status, (codes.get(status) ?? new Set()).add(code));
  }
  const content = {
    'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
    ...(oauthErrors && { 'application/json': { schema: { $ref: '#/components/schemas/OAuthError' } } }),
  };
  return Object.fromEntries(
    [...codes].map(([status, named]) => [status, { description: [...named].join(', '), content }]),
  );
}

function describe(schema: FastifySchema, route: DescribedRoute): FastifySchema {
  const own = schema.response as Record<string, unknown> | undefined;
  return {
    ...schema,
    ...(route.config?.rpc !== undefined && { 'x-rpc': route.config.rpc }),
    response: { ...own, ...errorResponses(failuresOf(route), route.config?.oauthErrors === true) },
  };
}

/** Prepares the description; call it before the routes are registered. */
export async function describeRoutes(app: FastifyInstance, settings: GatewaySettings): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: settings['app.name'], version: 'v1' },
      components: {
        schemas: { Problem, OAuthError },
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          clientBasic: { type: 'http', scheme: 'basic' },
          apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'Where the deployment allows API keys.' },
          refreshCookie: { type: 'apiKey', in: 'cookie', name: settings['app.security.refresh-session.cookie-name'] },
        },
      },
    },
    transform: ({ schema, url, route }) => ({ schema: describe(schema, route), url }),
  });
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
}
