// Shared parts of the machine client endpoints (RFC 6749, 7009, 7662): form, Basic and JSON requests, their errors, and `no-store`.
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import type { TSchema } from 'typebox';
import type { CallOptions } from '../../../src/platform/rpc/types.ts';
import type { Clients } from '../../clients.ts';
import type { TypedApp } from '../../context.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { noStore } from '../../http/caching.ts';
import { readClientRequest, type ClientRequest, type ParameterNames } from './client-request.ts';

export interface ClientEndpoint<Names extends ParameterNames> {
  /** Members of the RPC's request, each with the name of its parameter. */
  readonly parameters: Names;
  /** Schema of the body. */
  readonly body: TSchema;
  /** Schema of a JSON body. Default: `body`. */
  readonly jsonBody?: TSchema;
  readonly schema: FastifySchema;
  readonly handle: (
    client: Clients['clientCredentials'],
    request: ClientRequest<Names>,
    options: CallOptions,
    reply: FastifyReply,
  ) => Promise<unknown>;
}

/** Creates an endpoint for clients that authenticate by form, Basic or JSON. */
export function clientEndpoint<const Names extends ParameterNames>(options: ClientEndpoint<Names>): Endpoint {
  const { parameters, body, jsonBody = body, schema, handle } = options;
  return (app, { clientCredentials }, route) =>
    // A separate Fastify scope, because all other routes accept only JSON.
    app.register(async (scope: TypedApp) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, bytes: Buffer) => bytes);
      scope.route({
        ...route,
        schema: {
          tags: ['Machine clients'],
          security: [{}, { clientBasic: [] }],
          ...schema,
          body: {
            content: {
              // JSON is first, because generated clients send the first media type.
              'application/json': { schema: jsonBody },
              'application/x-www-form-urlencoded': { schema: body },
            },
          },
        },
        // The body is parsed by its format below. The schema only documents it.
        validatorCompiler: () => () => true,
        onRequest: noStore,
        handler: async (request: FastifyRequest, reply: FastifyReply) => {
          const call = callOptions(request);
          const bytes = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
          const read = readClientRequest(parameters, request, bytes, call.authorization ?? []);
          return handle(clientCredentials, read, call, reply);
        },
      });
    });
}
