// Endpoints derived from the protos: schemas, codecs and OpenAPI text come from the descriptors.
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { unaryCall } from '../clients.ts';
import type { Endpoint, Route } from '../endpoint.ts';
import { authorizeFirst } from '../http/authorize-first.ts';
import { noStore, privateNoCache } from '../http/caching.ts';
import { callOptions } from '../http/call-options.ts';
import { ignoreTypeOfEmptyBody } from '../http/json-body.ts';
import { IF_NONE_MATCH } from '../http/entity-tags.ts';
import { createResponder, isCreation, responsesOf } from './responder.ts';
import { contracts } from './contracts.ts';
import { isAboutRecords } from './conventions.ts';
import { listParameters } from './list-parameters.ts';
import { refuseLongLists } from './long-lists.ts';
import { failuresOf, operationOf } from './operation.ts';
import { type BodySemantics, compileRequest } from './request-message.ts';
import { bodySchema, headersSchema, pathSchema, querySchema } from './request-schemas.ts';
import { type RequestShape, type ResponseShape, requestShape, responseShape } from './request-shape.ts';
import type { JsonSchema } from './value-schemas.ts';

export interface DerivedOptions {
  /** Fields of the record that the route does not change, by their names in JSON. */
  readonly keptFields?: readonly string[];
  /** Maximum size of the body in bytes. Default: the server's limit. */
  readonly bodyLimit?: number;
}

/** An endpoint that is derived from the descriptor of its RPC. */
export const derived: Endpoint = derivedEndpoint({});

/** Creates a derived endpoint that does not change the given fields of the record. */
export function derivedWithoutChanging(...keptFields: readonly string[]): Endpoint {
  return derivedEndpoint({ keptFields });
}

/** Creates an endpoint that is derived from the descriptor of its RPC. */
export function derivedEndpoint({ keptFields = [], bodyLimit }: DerivedOptions): Endpoint {
  return (app, clients, route) => {
    const call = unaryCall(clients, route.config.rpc!);
    const { schema, messages, settable, others, hasBody, canBeEmpty, strict, respond } = contractOf(route, keptFields);
    const caching = strict ? noStore : privateNoCache;
    app.route({
      ...route,
      config: { ...route.config, failures: failuresOf(route.config.rpc!), bodyIsOptional: canBeEmpty },
      schema,
      // A serializer compiled from the schema writes required members first, and takes twice as long.
      serializerCompiler: () => JSON.stringify,
      ...(bodyLimit !== undefined && { bodyLimit }),
      onRequest: (hasBody || route.method === 'GET') && !canBeEmpty ? caching : [caching, ignoreTypeOfEmptyBody],
      preValidation: [
        ...(canBeEmpty ? [emptyBody] : []),
        ...(bodyLimit === undefined ? [] : refuseLongLists(settable)),
        ...(hasBody ? [] : listParameters(others)),
      ],
      errorHandler: authorizeFirst((invalidRequest, options) => call(messages.toAccessCheck(invalidRequest), options)),
      handler: async (validRequest: FastifyRequest, reply: FastifyReply) =>
        respond(validRequest, reply, await call(messages.toMessage(validRequest), callOptions(validRequest))),
    });
  };
}

/** What follows from the descriptor of an RPC and its route. */
type Contract = ReturnType<typeof deriveContract>;

const contractsOfRoutes = new Map<string, Contract>();

/** Derives the contract of a route once: the routes are registered again for the OpenAPI document. */
function contractOf(route: Route, keptFields: readonly string[]): Contract {
  const key = [route.method, route.url, route.config.rpc, ...keptFields].join(' ');
  let contract = contractsOfRoutes.get(key);
  if (!contract) contractsOfRoutes.set(key, (contract = deriveContract(route, keptFields)));
  return contract;
}

function deriveContract(route: Route, keptFields: readonly string[]) {
  const method = contracts().methodOf(route.config.rpc!);
  const strict = !isAboutRecords(method);
  const request = requestShape(method.input);
  const response = responseShape(method.output);
  const parameters = [...route.url.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  const settable = request.fields?.members.filter(({ name }) => !keptFields.includes(name)) ?? [];
  const semantics: BodySemantics = { settable, replaces: route.method === 'PUT', creates: isCreation(route), strict };
  const hasBody = takesBody(route, request);
  const body = hasBody ? bodySchema(method, request, response, semantics) : undefined;
  const schema = {
    ...operationOf(method, route),
    ...(parameters.length > 0 && { params: pathSchema(request, parameters) }),
    ...(!hasBody && hasParameters(request) && { querystring: querySchema(request) }),
    ...headersOf(route, request, response),
    ...(body && { body }),
    response: responsesOf(route, request, response, strict),
  } satisfies FastifySchema;
  return {
    schema,
    messages: compileRequest(method.input, request, semantics, parameters),
    settable,
    others: request.others,
    hasBody,
    canBeEmpty: strict && route.method === 'POST' && isOptional(body),
    strict,
    respond: createResponder(route, response, strict),
  };
}

/** GET has query parameters instead of a body. DELETE has only path and headers. */
function takesBody({ method }: Route, { fields, others }: RequestShape): boolean {
  return method !== 'GET' && method !== 'DELETE' && (fields !== undefined || others.length > 0);
}

/** Whether the query is validated. Without parameters in the contract it is not, because caches and proxies add parameters. */
function hasParameters({ page, others }: RequestShape): boolean {
  return page !== undefined || others.length > 0;
}

function headersOf({ method }: Route, request: RequestShape, { version }: ResponseShape): { headers?: JsonSchema } {
  const isConditional = method === 'GET' && version !== undefined;
  if (!isConditional && request.precondition === undefined && request.headers.length === 0) return {};
  return { headers: headersSchema(request, isConditional ? IF_NONE_MATCH : {}) };
}

/** Whether all members of a body are optional. */
function isOptional(body: JsonSchema | undefined): boolean {
  return (
    body !== undefined && body['minProperties'] === undefined && (body['required'] as readonly string[]).length === 0
  );
}

/** A hook: treats a missing body as an empty object. */
function emptyBody(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  if (request.body === undefined) request.body = {};
  done();
}
