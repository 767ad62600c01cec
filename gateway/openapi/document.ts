// The OpenAPI document, made of the registered routes.
// Imported by gateway/app.ts.
import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { tokenProfilePaths } from '../auth/token-mode/paths.ts';
import type { GatewaySettings } from '../context.ts';
import { withDocumented } from '../schema/documented.ts';
import { commentOn } from '../contract/comments.ts';
import { referToComponents } from './components.ts';
import type { Document } from './components.ts';
import { errorResponses, OAUTH_ERRORS, PROBLEMS, TOKEN_PROFILE_ERRORS } from './error-responses.ts';
import type { DescribedRoute, ErrorForm } from './error-responses.ts';
import { OAuthError, Problem, TokenProfileError } from './error-schemas.ts';
import { withEnumTypes } from './enum-types.ts';
import { withLinks } from './links.ts';
import { operationIdOf } from './operation-id.ts';
import { OPTIONAL_BODY, withOptionalBodies } from './optional-bodies.ts';
import { TAGS } from './tags.ts';

function describe(schema: FastifySchema, url: string, route: DescribedRoute, form: ErrorForm): FastifySchema {
  const own = schema.response as Record<string, unknown> | undefined;
  const rpc = route.config?.rpc;
  return {
    // Nobody is asked, unless the route says otherwise.
    security: [],
    ...schema,
    ...(rpc !== undefined && {
      operationId: schema.operationId ?? operationIdOf(rpc, String(route.method), url),
      description: schema.description ?? commentOn(rpc),
      'x-rpc': rpc,
    }),
    ...(route.config?.bodyIsOptional === true && { [OPTIONAL_BODY]: true }),
    response: { ...own, ...errorResponses(route, form) },
  };
}

function errorSchemas(settings: GatewaySettings): object {
  const isTokenProfile = settings['app.security.auth-profile'] === 'B';
  return { Problem, OAuthError, ...(isTokenProfile && { TokenProfileError }) };
}

/** Prepares the description; call it before the routes are registered. */
export async function describeRoutes(app: FastifyInstance, settings: GatewaySettings): Promise<void> {
  const speaksTokenProfile = tokenProfilePaths(settings);
  const transportOf = ({ config }: DescribedRoute, url: string): ErrorForm => {
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
        contact: { name: `Operators of ${settings['app.name']}` },
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      tags: TAGS,
      servers: [{ url: '/', description: 'This deployment.' }],
      components: {
        // TypeBox's types say more of a schema than those of OpenAPI can.
        schemas: errorSchemas(settings) as never,
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
    transform: ({ schema, url, route }) => ({ schema: describe(schema, url, route, transportOf(route, url)), url }),
    transformObject: (described) => {
      const { openapiObject } = described as { readonly openapiObject: unknown };
      return withLinks(withOptionalBodies(referToComponents(withEnumTypes(withDocumented(openapiObject as Document)))));
    },
  });
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
}
