import { optionalField, Type } from '../../type.ts';
import { errorsOf } from '../../contract/contracts.ts';
import { type Endpoint, SECURITY } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';

const CurrentUser = Type.Object(
  {
    id: Type.String({ description: 'Account id.' }),
    username: Type.String({ description: 'Login name as stored.' }),
    name: Type.String({ description: 'Display name.' }),
    email: optionalField(Type.String({ description: 'E-mail address. Absent if the account has none.' })),
    tenantId: optionalField(Type.String({ description: 'Absent for SUPER_ADMIN.' })),
    roles: Type.Array(Type.String({ examples: ['ROLE_MANAGER'] }), {
      description: 'Flattened roles, the primary one first.',
    }),
    createdAt: Type.String({ format: 'date-time', description: 'ISO 8601 in UTC with milliseconds.' }),
  },
  { title: 'Account', description: 'The account behind the credential.' },
);

/** Endpoint: returns the caller's account. */
export function me(): Endpoint {
  return (app, { identity }, route) =>
    app.route({
      ...route,
      config: {
        ...route.config,
        checksCredential: true,
        failures: [...errorsOf(route.config.rpc!), 'VALIDATION_ERROR'],
      },
      schema: {
        summary: 'Get the current user',
        tags: ['Session'],
        security: SECURITY,
        response: { 200: CurrentUser },
      },
      handler: async (request, reply) => {
        reply.header('cache-control', 'no-store');
        const { account } = await identity.getMe({}, callOptions(request));
        if (account?.createdAt === undefined) throw new TypeError('The core sent no account');
        const { id, username, name, email, tenantId, roles, createdAt } = account;
        return { id, username, name, email, tenantId, roles, createdAt: createdAt.toISOString() };
      },
    });
}
