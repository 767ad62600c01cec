// Builds the OpenAPI document from the registered routes.
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify';
import { errorFormats } from '../auth/error-formats.ts';
import type { GatewaySettings } from '../context.ts';
import type { ErrorFormat } from '../errors/error-formats.ts';
import type { GatewayModule, Tag } from '../module.ts';
import { withDocumented } from '../schema/documented.ts';
import { commentOf, securityOf, tagsOfModules } from '../contract/contracts.ts';
import { referToComponents, type Document, withEnumTypes, withOptionalBodies } from './components.ts';
import { errorResponses } from './error-responses.ts';
import { ErrorPage, OAuthError, Problem, ProfileBError } from './error-schemas.ts';
import { withLinks } from './links.ts';

/** The tags of the service itself, one per resource, in the order of the documentation page. Those of modules follow. */
const TAGS: readonly Tag[] = [
  { name: 'Session', description: 'Login, refresh and logout of users, and checks of credentials.' },
  { name: 'Recovery', description: 'A new password by a link in a mail.' },
  { name: 'E-mail addresses', description: 'E-mail addresses, proven by a link in a mail.' },
  { name: 'Invitations', description: 'The first password of an invited user, by a link in a mail.' },
  { name: 'Machine clients', description: 'Tokens for services (RFC 6749 section 4.4), introspection and revocation.' },
  {
    name: 'OpenID provider',
    description: 'Logins of other applications: authorization requests, tokens and claims (OpenID Connect).',
  },
  { name: 'Account', description: 'Your own password and sessions.' },
  { name: 'Tenants', description: 'Tenants, their status and their login domains.' },
  { name: 'Users', description: 'Users of a tenant, their roles, passwords and sessions.' },
  { name: 'Sessions', description: 'Open sessions of the users of a tenant.' },
  { name: 'Roles', description: 'Built-in roles, and roles of your own with their permissions.' },
  { name: 'Service accounts', description: 'Accounts of machine clients, and their client secrets.' },
  { name: 'Applications', description: 'Applications that log in users, and their client secrets.' },
  { name: 'API keys', description: 'Static keys of service accounts, for the header X-Api-Key.' },
  { name: 'Audit records', description: 'Events of accounts, credentials and tenants.' },
  { name: 'Webhooks', description: 'Audit records that are sent to other services, and their deliveries.' },
  { name: 'Signing keys', description: 'Keys that sign access tokens, and their rotation.' },
  { name: 'Credentials', description: 'Explanations of accepted and refused credentials.' },
];

/** The last tags. */
const ROOT_TAGS: readonly Tag[] = [
  { name: 'Keys', description: 'Public keys and metadata for services that verify access tokens.' },
  { name: 'Health', description: 'Probes for orchestrators and load balancers.' },
];

function describe(schema: FastifySchema, route: RouteOptions, format: ErrorFormat): FastifySchema {
  const own = schema.response as Record<string, unknown> | undefined;
  const rpc = route.config?.rpc;
  return {
    ...schema,
    security: schema.security ?? (rpc === undefined ? [] : securityOf(rpc)),
    ...(rpc !== undefined && {
      operationId: schema.operationId ?? operationIdOf(rpc),
      description: schema.description ?? commentOf(rpc),
      'x-rpc': rpc,
    }),
    response: { ...own, ...errorResponses(route, format) },
  };
}

/** Returns the RPC's name in lowerCamelCase, such as `listOrderStatusHistory`. */
function operationIdOf(rpc: string): string {
  const name = rpc.slice(rpc.indexOf('/') + 1);
  return name.charAt(0).toLowerCase() + name.slice(1);
}

function errorSchemas(settings: GatewaySettings): object {
  const isProfileB = settings['app.security.auth-profile'] === 'B';
  return {
    Problem,
    OAuthError,
    ...(settings['app.oauth.enabled'] && { ErrorPage }),
    ...(isProfileB && { ProfileBError }),
  };
}

/** Returns the document with the tags of its operations, in the order of the lists. */
function withTags<Described extends Document>(document: Described, modules: readonly GatewayModule[]): Described {
  const used = new Set(
    Object.values(document.paths).flatMap((operations) => Object.values(operations).flatMap(({ tags = [] }) => tags)),
  );
  const listed = [...TAGS, ...modules.flatMap(({ tags }) => tags), ...ROOT_TAGS];
  const more = tagsOfModules().filter(({ name }) => listed.every((tag) => tag.name !== name));
  return { ...document, tags: [...listed, ...more].filter(({ name }) => used.has(name)) };
}

/** Registers the plugin that collects the routes. Call it before the routes are registered. */
export async function describeRoutes(
  app: FastifyInstance,
  settings: GatewaySettings,
  modules: readonly GatewayModule[],
): Promise<void> {
  const formatOf = errorFormats(settings);
  // Loaded here because it takes longer to load than the rest of the gateway.
  const { default: swagger } = await import('@fastify/swagger');
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: settings['app.brand.name'],
        version: 'v1',
        description:
          `Authentication, sessions and tenant access${modules.map(({ description }) => description).join('')}. ` +
          'Responses to parsed requests contain an X-Request-Id. Every GET is also served as HEAD.',
        contact: { name: `Operators of ${settings['app.brand.name']}` },
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      tags: [],
      servers: [{ url: '/', description: 'This deployment.' }],
      components: {
        // The types of TypeBox schemas are not assignable to the plugin's OpenAPI types.
        schemas: errorSchemas(settings) as Record<string, object>,
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          clientBasic: { type: 'http', scheme: 'basic' },
          apiKey: {
            type: 'apiKey',
            in: 'header',
            name: 'X-Api-Key',
            description: 'Accepted if the deployment enables API keys.',
          },
          ...(settings['app.security.auth-profile'] === 'A' && {
            refreshCookie: { type: 'apiKey', in: 'cookie', name: settings['app.security.refresh-session.cookie-name'] },
          }),
        },
      },
    },
    transform: ({ schema, url, route }) => ({ schema: describe(schema, route, formatOf(url)), url }),
    transformObject: (described) => {
      const { openapiObject } = described as { readonly openapiObject: unknown };
      return withTags(
        withLinks(withOptionalBodies(referToComponents(withEnumTypes(withDocumented(openapiObject as Document))))),
        modules,
      );
    },
  });
}
