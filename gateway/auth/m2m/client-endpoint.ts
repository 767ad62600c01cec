// Shared parts of the machine client endpoints (RFC 6749, 7009, 7662): form, Basic and JSON requests, their errors, and `no-store`.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import type { DescMethod } from '../../../src/platform/rpc/contract/descriptors.ts';
import type { CallOptions } from '../../../src/platform/rpc/types.ts';
import type { Clients } from '../../clients.ts';
import type { TypedApp } from '../../context.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { noStore } from '../../http/caching.ts';
import { parametersOf } from './client-parameters.ts';
import { readClientRequest, type ClientRequest } from './client-request.ts';

interface ClientEndpoint {
  readonly rpc: DescMethod;
  /** Schema of the body. */
  readonly body: TSchema;
  /** Schema of a JSON body. Default: `body`. */
  readonly jsonBody?: TSchema;
  readonly summary: string;
  /** Schema of the response. */
  readonly response: TSchema;
  readonly handle: (
    client: Clients['clientCredentials'],
    request: ClientRequest,
    options: CallOptions,
    reply: FastifyReply,
  ) => Promise<unknown>;
}

/** Creates an endpoint for clients that authenticate by form, Basic or JSON. */
export function clientEndpoint({ rpc, body, jsonBody = body, summary, response, handle }: ClientEndpoint): Endpoint {
  const parameters = parametersOf(rpc.input);
  return (app, { clientCredentials }, route) =>
    // A separate Fastify scope, because all other routes accept only JSON.
    app.register(async (scope: TypedApp) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, bytes: Buffer) => bytes);
      scope.route({
        ...route,
        schema: {
          summary,
          tags: ['Machine clients'],
          security: [{}, { clientBasic: [] }],
          response: { 200: response },
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
