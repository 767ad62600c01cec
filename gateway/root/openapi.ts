// GET /openapi.json, made from the schemas that check the requests.
import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import Type from 'typebox';
import { tokenErrorOf } from '../auth/m2m/token-error.ts';
import { tokenProfileCode } from '../auth/token-profile/error.ts';
import { tokenProfilePaths } from '../auth/token-profile/paths.ts';
import type { GatewaySettings } from '../context.ts';
import { CATALOGUE } from '../../src/problem/catalogue.ts';
import type { FailureName } from '../../src/problem/catalogue.ts';

const Violation = Type.Object({
  message: Type.String({ description: 'What is wrong, for a person.' }),
  format: Type.Optional(Type.String({ description: 'The name of the broken rule.' })),
  props: Type.Optional(Type.Array(Type.String(), { description: 'The path to the field, outermost first.' })),
  params: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: "The rule's parameters." })),
});

const Problem = Type.Object(
  {
    type: Type.String({ examples: [`urn:service:error:${CATALOGUE.VALIDATION_ERROR.code}`] }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'The actual reason, under maximal disclosure.' }),
    errorCode: Type.String({
      description: 'Stable code; what clients branch on.',
      examples: [CATALOGUE.VALIDATION_ERROR.code],
    }),
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
    error: Type.String({ examples: [CATALOGUE.INVALID_CLIENT.code] }),
    error_description: Type.String({ description: 'The actual reason under maximal disclosure, else the code.' }),
  },
  { description: 'An error of the token endpoint (RFC 6749 section 5.2).' },
);

const TokenProfileError = Type.Object(
  {
    message: Type.String({ description: 'The actual reason, under maximal disclosure.' }),
    error: Type.String({
      description: 'Stable code; what clients branch on.',
      examples: [CATALOGUE.TOKEN_INVALID.tokenProfileCode],
    }),
    path: Type.String({ description: 'Path of the request.' }),
    timestamp: Type.String({ format: 'date-time', description: 'ISO 8601 in UTC with milliseconds.' }),
    exceptionType: Type.Optional(Type.String({ description: 'Maximal disclosure only.' })),
    exceptionMessage: Type.Optional(Type.String({ description: 'Maximal disclosure only.' })),
    stackTrace: Type.Optional(Type.String({ description: 'Maximal disclosure only.' })),
  },
  { description: 'An error of the authentication endpoints.' },
);

/** What the errors of a route look like. */
interface ErrorForm {
  /** What the error of a failure is called and answered with. */
  readonly errorOf: (name: FailureName) => { readonly status: number; readonly code: string };
  /** Whether the answer names the scheme by which authentication failed. */
  readonly isChallenge: (name: FailureName) => boolean;
  /** Schemas by media type. */
  readonly content: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>>;
}

const referTo = (name: string) => ({ schema: { $ref: `#/components/schemas/${name}` } });

const isBearerChallenge = (name: FailureName) => CATALOGUE[name].bearerChallenge === true;

const PROBLEMS: ErrorForm = {
  errorOf: (name) => CATALOGUE[name],
  isChallenge: isBearerChallenge,
  content: { 'application/problem+json': referTo('Problem') },
};
const OAUTH_ERRORS: ErrorForm = {
  errorOf: tokenErrorOf,
  isChallenge: (name) => tokenErrorOf(name).status === 401,
  content: { ...PROBLEMS.content, 'application/json': referTo('OAuthError') },
};
const TOKEN_PROFILE_ERRORS: ErrorForm = {
  errorOf: (name) => ({ status: CATALOGUE[name].status, code: tokenProfileCode(name) }),
  isChallenge: isBearerChallenge,
  content: { 'application/json': referTo('TokenProfileError') },
};

/** How any route can fail before it is reached. */
const ANYWHERE: readonly FailureName[] = [
  'MALFORMED_REQUEST',
  'REQUEST_TIMEOUT',
  'HEADERS_TOO_LARGE',
  'INTERNAL_ERROR',
  'NOT_IMPLEMENTED',
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
    ...(method === 'GET' ? [] : WITH_BODY),
    ...(config.rpc === undefined ? [] : [outage as FailureName]),
    ...(config.failures ?? []),
  ];
}

const RETRY_AFTER = { 'Retry-After': Type.Integer({ description: 'In how many seconds to try again.' }) };
const CHALLENGE = {
  'WWW-Authenticate': Type.String({ description: 'The scheme by which authentication failed.' }),
};

const UNSATISFIED_RANGE = { 'Content-Range': Type.String({ description: 'How many bytes there are.' }) };

/** One response for each status, naming the error codes that it can carry. */
function errorResponses(failures: readonly FailureName[], form: ErrorForm): Record<string, unknown> {
  const byStatus = Map.groupBy(failures, (name) => form.errorOf(name).status);
  return Object.fromEntries([...byStatus].map(([status, named]) => [status, errorResponse(named, form)]));
}

function errorResponse(failures: readonly FailureName[], { errorOf, isChallenge, content }: ErrorForm) {
  const codes = new Set(failures.map((name) => errorOf(name).code));
  const headers = {
    ...(failures.some(isChallenge) && CHALLENGE),
    ...(failures.includes('RANGE_NOT_SATISFIABLE') && UNSATISFIED_RANGE),
    ...(failures.some((name) => CATALOGUE[name].retryAfterSeconds !== undefined) && RETRY_AFTER),
  };
  return { description: [...codes].join(', '), content, ...(Object.keys(headers).length > 0 && { headers }) };
}

/** `GET /api/v1/orders/:id/status-history` is `getOrdersIdStatusHistory`. */
function operationId({ method }: DescribedRoute, url: string): string {
  const words = url.replace(/^.*\/api\/v1\//, '').match(/[a-z\d]+/gi) ?? [];
  return String(method).toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function describe(schema: FastifySchema, url: string, route: DescribedRoute, form: ErrorForm): FastifySchema {
  const own = schema.response as Record<string, unknown> | undefined;
  return {
    // Nobody is asked, unless the route says otherwise.
    security: [],
    ...schema,
    operationId: operationId(route, url),
    ...(route.config?.rpc !== undefined && { 'x-rpc': route.config.rpc }),
    response: { ...own, ...errorResponses(failuresOf(route), form) },
  };
}

/** Prepares the description; call it before the routes are registered. */
export async function describeRoutes(app: FastifyInstance, settings: GatewaySettings): Promise<void> {
  const speaksTokenProfile = tokenProfilePaths(settings);
  const formOf = ({ config }: DescribedRoute, url: string): ErrorForm => {
    if (config?.oauthErrors === true) return OAUTH_ERRORS;
    return speaksTokenProfile(url) ? TOKEN_PROFILE_ERRORS : PROBLEMS;
  };
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: settings['app.name'],
        version: 'v1',
        description:
          'Authentication, sessions and tenant access, and the business endpoints behind them. The answer to whatever ' +
          'could be read as a request carries an X-Request-Id. Every GET is served as HEAD too.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/', description: 'This deployment.' }],
      components: {
        schemas: {
          Problem,
          OAuthError,
          ...(settings['app.security.auth-profile'] === 'B' && { TokenProfileError }),
        },
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          clientBasic: { type: 'http', scheme: 'basic' },
          apiKey: {
            type: 'apiKey',
            in: 'header',
            name: 'X-Api-Key',
            description: 'Where the deployment allows API keys.',
          },
          ...(settings['app.security.auth-profile'] === 'A' && {
            refreshCookie: { type: 'apiKey', in: 'cookie', name: settings['app.security.refresh-session.cookie-name'] },
          }),
        },
      },
    },
    transform: ({ schema, url, route }) => ({ schema: describe(schema, url, route, formOf(route, url)), url }),
  });
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
}
