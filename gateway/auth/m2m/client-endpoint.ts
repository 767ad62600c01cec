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
  /** Schema of a JSON body; `none` if JSON is refused. Default: `body`. */
  readonly jsonBody?: TSchema | 'none';
  /** Default: Machine clients. */
  readonly tag?: string;
  readonly summary: string;
  /** Schema of the response. */
  readonly response: TSchema;
  readonly handle: (
    clients: Clients,
    request: ClientRequest,
    options: CallOptions,
    reply: FastifyReply,
  ) => Promise<unknown>;
}

/** Creates an endpoint for clients that authenticate by form, Basic or JSON. */
export function clientEndpoint(endpoint: ClientEndpoint): Endpoint {
  const { rpc, body, jsonBody = body, tag = 'Machine clients', summary, response, handle } = endpoint;
  const parameters = parametersOf(rpc.input);
  const formOnly = jsonBody === 'none';
  return (app, clients, route) =>
    acceptAnyBody(app, (scope) =>
      scope.route({
        ...route,
        schema: {
          summary,
          tags: [tag],
          security: [{}, { clientBasic: [] }],
          response: { 200: response },
          body: {
            content: {
              // JSON is first, because generated clients send the first media type.
              ...(!formOnly && { 'application/json': { schema: jsonBody } }),
              'application/x-www-form-urlencoded': { schema: body },
            },
          },
        },
        // The body is parsed by its format below. The schema only documents it.
        validatorCompiler: () => () => true,
        onRequest: noStore,
        handler: async (request: FastifyRequest, reply: FastifyReply) => {
          const call = callOptions(request);
          const read = readClientRequest(parameters, request, bodyOf(request), call.authorization ?? [], { formOnly });
          return handle(clients, read, call, reply);
        },
      }),
    );
}

/** Adds a route whose body is bytes of any media type. All other routes accept only JSON. */
export function acceptAnyBody(app: TypedApp, addRoute: (scope: TypedApp) => unknown): unknown {
  // A separate Fastify scope.
  return app.register(async (scope: TypedApp) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, bytes: Buffer) => bytes);
    addRoute(scope);
  });
}

/** Returns the whole body of a request of such a route. */
export function bodyOf({ body }: FastifyRequest): Buffer {
  return (body as Buffer | undefined) ?? Buffer.alloc(0);
}
