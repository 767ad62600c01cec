// Endpoints derived from the protos: schemas, codecs and OpenAPI text come from the descriptors.
// Imported by gateway/business, gateway/openapi and the tables of routes.
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { unaryCall } from '../clients.ts';
import type { Endpoint, Route } from '../endpoint.ts';
import { authorizeFirst } from '../http/authorize-first.ts';
import { privateNoCache } from '../http/private-no-cache.ts';
import { callOptions } from '../http/call-options.ts';
import { ignoreTypeOfEmptyBody } from '../http/json-body.ts';
import { noStore } from '../http/no-store.ts';
import { IF_NONE_MATCH } from '../http/entity-tags.ts';
import { answerer, isCreation, responsesOf } from './answer.ts';
import { contracts } from './contracts.ts';
import { isAboutRecords } from './conventions.ts';
import { listParameters } from './list-parameters.ts';
import { refuseLongLists } from './long-lists.ts';
import { failuresOf, operationOf } from './operation.ts';
import { compileRequest, type Meaning } from './request-message.ts';
import { bodySchema, headersSchema, pathSchema, querySchema } from './request-schemas.ts';
import { requestShape, responseShape, type RequestShape, type ResponseShape } from './request-shape.ts';
import type { JsonSchema } from './value-schemas.ts';

export interface DerivedOptions {
  /** Fields of the record that the route leaves as they are, by their names in JSON. */
  readonly leaves?: readonly string[];
  /** Bytes of a body, if not as many as elsewhere. */
  readonly bodyLimit?: number;
}

/** An endpoint that follows from its RPC. */
export const derived: Endpoint = derivedEndpoint({});

/** The same, but some fields of the record stay as they are. */
export function derivedBut(...leaves: readonly string[]): Endpoint {
  return derivedEndpoint({ leaves });
}

/** Makes an endpoint that follows from its RPC. */
export function derivedEndpoint({ leaves = [], bodyLimit }: DerivedOptions): Endpoint {
  return (app, clients, route) => {
    const rpc = route.config.rpc!;
    const method = contracts().methodOf(rpc);
    const call = unaryCall(clients, rpc);
    const strict = !isAboutRecords(method);
    const request = requestShape(method.input);
    const response = responseShape(method.output);
    const parameters = [...route.url.matchAll(/:(\w+)/g)].map(([, name]) => name!);
    const settable = request.fields?.members.filter(({ name }) => !leaves.includes(name)) ?? [];
    const meaning: Meaning = { settable, replaces: route.method === 'PUT', creates: isCreation(route), strict };
    const messages = compileRequest(method.input, request, meaning, parameters);
    const hasBody = takesBody(route, request);
    const body = hasBody ? bodySchema(method, request, response, meaning) : undefined;
    const canBeEmpty = strict && route.method === 'POST' && isOptional(body);
    const caching = strict ? noStore : privateNoCache;
    app.route({
      ...route,
      config: { ...route.config, failures: failuresOf(rpc), bodyIsOptional: canBeEmpty },
      schema: {
        ...operationOf(method, route),
        ...(parameters.length > 0 && { params: pathSchema(request, parameters) }),
        ...(!hasBody && hasParameters(request) && { querystring: querySchema(request) }),
        ...headersOf(route, request, response),
        ...(body && { body }),
        response: responsesOf(route, response, strict),
      } satisfies FastifySchema,
      // A serializer compiled from the schema puts required members first, and takes twice as long.
      serializerCompiler: () => JSON.stringify,
      ...(bodyLimit !== undefined && { bodyLimit }),
      onRequest: (hasBody || route.method === 'GET') && !canBeEmpty ? caching : [caching, ignoreTypeOfEmptyBody],
      preValidation: [
        ...(canBeEmpty ? [emptyBody] : []),
        ...(bodyLimit === undefined ? [] : refuseLongLists(settable)),
        ...(hasBody ? [] : listParameters(request.others)),
      ],
      errorHandler: authorizeFirst((broken, options) => call(messages.toAccessCheck(broken), options)),
      handler: async (good: FastifyRequest, reply: FastifyReply) =>
        answer(good, reply, await call(messages.toMessage(good), callOptions(good))),
    });
    const answer = answerer(route, response, strict);
  };
}

/** A GET has a query instead, a DELETE what its path and headers name. */
function takesBody({ method }: Route, { fields, others }: RequestShape): boolean {
  return method !== 'GET' && method !== 'DELETE' && (fields !== undefined || others.length > 0);
}

/** A request without parameters may have any: caches and proxies add theirs. */
function hasParameters({ page, others }: RequestShape): boolean {
  return page !== undefined || others.length > 0;
}

function headersOf({ method }: Route, request: RequestShape, { version }: ResponseShape): { headers?: JsonSchema } {
  const isConditional = method === 'GET' && version !== undefined;
  if (!isConditional && request.precondition === undefined && request.headers.length === 0) return {};
  return { headers: headersSchema(request, isConditional ? IF_NONE_MATCH : {}) };
}

/** Whether a body need not hold anything. */
function isOptional(body: JsonSchema | undefined): boolean {
  return (
    body !== undefined && body['minProperties'] === undefined && (body['required'] as readonly string[]).length === 0
  );
}

/** A hook: a body that need not hold anything need not come. */
function emptyBody(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  if (request.body === undefined) request.body = {};
  done();
}
