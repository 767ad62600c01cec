import Type from 'typebox';
import { coreFirst } from '../core-first.ts';
import type { Endpoint } from '../endpoint.ts';
import { callOptions } from '../http/call-options.ts';
import { ignoreTypeOfEmptyBody } from '../http/json-body.ts';
import { SECURITY } from '../security.ts';
import { FAILURES, KeyParams } from './api-key.ts';

/** OpenAPI's way to say that there is no body. */
const Revoked = Type.Unsafe<undefined>({ type: 'null', description: 'The key does not work from now on.' });

/** Revokes an API key at once. */
export function revokeApiKey(): Endpoint {
  return (app, { apiKey: service }, route) => {
    const messageOf = ({ id, keyId }: KeyParams) => ({ serviceAccountId: id, keyId });
    app.route({
      ...route,
      config: { ...route.config, failures: FAILURES },
      schema: {
        summary: 'Revoke an API key',
        tags: ['API keys'],
        security: SECURITY,
        params: KeyParams,
        response: { 204: Revoked },
      },
      onRequest: ignoreTypeOfEmptyBody,
      errorHandler: coreFirst(({ params }, options) => service.revokeApiKey(messageOf(params as KeyParams), options)),
      handler: async (request, reply) => {
        await service.revokeApiKey(messageOf(request.params), callOptions(request));
        return reply.code(204).send();
      },
    });
  };
}
