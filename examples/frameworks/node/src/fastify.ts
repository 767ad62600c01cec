// snippet:start fastify
import fastify, { type FastifyRequest, type preHandlerAsyncHookHandler } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { authenticate, type Caller, type Check, hasPermission, hasRole } from './access-token.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The account of the caller. Every request that passes the plugin has one. */
    caller: Caller;
  }
}

/** Accepts requests with a valid access token. */
const authentication = fastifyPlugin<{ check: Check }>(async (app, { check }) => {
  app.decorateRequest('caller');
  app.addHook('onRequest', async (request, reply) => {
    const caller = await authenticate(check, request.headers.authorization);
    if (caller === 401) reply.header('WWW-Authenticate', 'Bearer');
    if (typeof caller === 'number') return reply.code(caller).send();
    request.caller = caller;
  });
});

/** Accepts callers that satisfy the rule. */
const demand =
  (rule: (caller: Caller) => boolean): preHandlerAsyncHookHandler =>
  async ({ caller }: FastifyRequest, reply) =>
    rule(caller) ? undefined : reply.code(403).send();

export async function fastifyApp(check: Check) {
  const app = fastify();
  await app.register(authentication, { check });
  app.get('/me', async ({ caller }) => caller);
  app.get('/admin', { preHandler: demand(hasRole('ROLE_ADMIN')) }, async () => []);
  app.get('/users', { preHandler: demand(hasPermission('MANAGE_USERS')) }, async () => []);
  return app;
}
// snippet:end
