// What a login page offers, for pages that serve several deployments.
import type { GatewaySettings } from '../context.ts';
import type { Endpoint } from '../endpoint.ts';
import { callOptions } from '../http/call-options.ts';
import { Type } from '../type.ts';
import { declared, descriptionOf, methodOf } from './declared.ts';

const OPTIONS = methodOf('SessionService', 'GetLoginOptions').output;

const LoginOptions = Type.Object(
  {
    profile: Type.Enum(['A', 'B'], {
      description: 'The profile of the authentication endpoints: `app.security.auth-profile`.',
    }),
    name: Type.String(declared(OPTIONS, 'name')),
    passkeys: Type.Boolean(declared(OPTIONS, 'passkeys')),
    recovery: Type.Boolean(declared(OPTIONS, 'recovery')),
    apiKeys: Type.Optional(Type.Literal(true, declared(OPTIONS, 'api_keys'))),
  },
  { title: 'LoginOptions', description: descriptionOf(OPTIONS) },
);

/** Endpoint: returns what a login page offers. */
export function loginOptions(settings: GatewaySettings): Endpoint {
  const profile = settings['app.security.auth-profile'];
  return (app, { session }, route) =>
    app.route({
      ...route,
      schema: {
        summary: 'Get what a login page offers',
        tags: ['Session'],
        response: { 200: LoginOptions },
      },
      handler: async (request, reply) => {
        const { name, passkeys, recovery, apiKeys } = await session.getLoginOptions({}, callOptions(request));
        // Short, because a page must offer what a restart with other settings offers.
        reply.header('cache-control', 'public, max-age=60');
        return { profile, name, passkeys, recovery, ...(apiKeys && { apiKeys }) };
      },
    });
}
