// Endpoints derived from the protos: routes, schemas, codecs and OpenAPI text come from the descriptors.
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { Caching } from '../../proto/gen/authservice/rest/v1/rest.ts';
import type { DescMethod } from '../../src/platform/rpc/contract/descriptors.ts';
import { unaryCall } from '../clients.ts';
import type { Endpoint, RouteEntry } from '../endpoint.ts';
import { invalidFields } from '../errors/gateway-error.ts';
import { authorizeFirst } from '../http/authorize-first.ts';
import { noStore, privateNoCache } from '../http/caching.ts';
import { callOptions } from '../http/call-options.ts';
import { IF_NONE_MATCH } from '../http/entity-tags.ts';
import { ignoreTypeOfEmptyBody } from '../http/json-body.ts';
import { commentOf, contracts, rpcOf, type Binding, type Rest } from './contracts.ts';
import { innerMessage, memberOf, type Member } from './members.ts';
import { compileRequest, type BodySemantics } from './request-message.ts';
import { bodySchema, headersSchema, pathSchema, querySchema } from './request-schemas.ts';
import { requestShape, responseShape, type RequestShape } from './request-shape.ts';
import { createResponder, isConditional, responsesOf } from './responder.ts';
import type { JsonSchema } from './value-schemas.ts';
import { OPTIONAL_BODY } from '../schema/documented.ts';

/**
 * Returns the routes of all methods that declare google.api.http.
 *
 * @param contextPath The path before `/api/v1`.
 */
export function derivedRoutes(contextPath: string): RouteEntry[] {
  const { methods, restOf } = contracts();
  return methods.flatMap((method) => {
    const rest = restOf(method);
    return (rest?.bindings ?? []).map((binding): RouteEntry => {
      const url = contextPath + urlOf(method, binding);
      return [binding.method, url, rpcOf(method), derivedEndpoint(method, rest!, binding)];
    });
  });
}

/** Returns the path for the router: `/products/:id` instead of `/products/{product_id}`. */
function urlOf({ input }: DescMethod, { path }: Binding): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const field = input.fields.find((one) => one.name === name);
    return `:${field ? memberOf(field).name : name}`;
  });
}

function derivedEndpoint(method: DescMethod, rest: Rest, binding: Binding): Endpoint {
  const rpc = rpcOf(method);
  const { caching, maxBodyBytes, timeoutSeconds } = rest.operation;
  const timeoutMs = timeoutSeconds > 0 ? timeoutSeconds * 1000 : undefined;
  return (app, clients, route) => {
    const call = unaryCall(clients, rpc);
    const { schema, messages, settable, others, canBeEmpty, respond } = contractOf(method, rest, binding);
    const { hasBody } = binding;
    const setCaching = caching === Caching.CACHING_REVALIDATE ? privateNoCache : noStore;
    app.route({
      ...route,
      schema,
      // A serializer compiled from the schema writes required members first, and takes twice as long.
      serializerCompiler: () => JSON.stringify,
      ...(maxBodyBytes > 0 && { bodyLimit: maxBodyBytes }),
      onRequest:
        (hasBody || binding.method === 'GET') && !canBeEmpty ? setCaching : [setCaching, ignoreTypeOfEmptyBody],
      preValidation: [
        ...(canBeEmpty ? [emptyBody] : []),
        ...(maxBodyBytes > 0 ? refuseLongLists(settable) : []),
        ...(hasBody ? [] : listParameters(others)),
      ],
      errorHandler: authorizeFirst((invalidRequest, options) => call(messages.toAccessCheck(invalidRequest), options)),
      handler: async (validRequest: FastifyRequest, reply: FastifyReply) =>
        respond(
          validRequest,
          reply,
          await call(messages.toMessage(validRequest), callOptions(validRequest, timeoutMs)),
        ),
    });
  };
}

/** The derived parts of a route. */
type Contract = ReturnType<typeof deriveContract>;

const contractsOfRoutes = new Map<Binding, Contract>();

/** Derives the contract of a route once: the routes are registered again for the OpenAPI document. */
function contractOf(method: DescMethod, rest: Rest, binding: Binding): Contract {
  let contract = contractsOfRoutes.get(binding);
  if (!contract) contractsOfRoutes.set(binding, (contract = deriveContract(method, rest, binding)));
  return contract;
}

function deriveContract(rpc: DescMethod, { operation, status }: Rest, { method, hasBody }: Binding) {
  const strict = !operation.lenient;
  const request = requestShape(rpc);
  const response = responseShape(rpc);
  const replaces = method === 'PUT';
  const kept = replaces ? operation.keptByPut : [];
  const settable = request.fields?.members.filter(({ name }) => !kept.includes(name)) ?? [];
  const semantics: BodySemantics = { settable, replaces, creates: status === 201, strict };
  const success = { method, status, output: rpc.output, operation };
  const body = hasBody ? bodySchema(rpc, request, response, semantics) : undefined;
  const canBeEmpty = strict && method === 'POST' && isOptional(body);
  const schema = {
    ...operationOf(rpc, operation.tag, method),
    ...(canBeEmpty && { [OPTIONAL_BODY]: true }),
    ...(request.record.length > 0 && { params: pathSchema(request) }),
    ...(hasParameters(request, hasBody) && { querystring: querySchema(request, hasBody) }),
    ...headersOf(request, isConditional(method, operation, response)),
    ...(body && { body }),
    response: responsesOf(success, request, response),
  } satisfies FastifySchema;
  return {
    schema,
    messages: compileRequest(rpc.input, request, semantics),
    settable,
    others: request.others,
    canBeEmpty,
    respond: createResponder(success, response),
  };
}

/** Returns the part of a route's schema that describes its operation. The summary is the first sentence of the description. */
export function operationOf(rpc: DescMethod, tag: string, method: Binding['method']) {
  const { putDescription = '' } = contracts().restOf(rpc)?.operation ?? {};
  const replaces = method === 'PUT' && putDescription !== '';
  const description = replaces ? putDescription : commentOf(rpcOf(rpc));
  const [summary] = description.split(/(?<=\.)\s/);
  return {
    ...(replaces && { operationId: `${rpc.localName}Whole` }),
    summary: summary!.replace(/\.$/, ''),
    description,
    tags: [tag],
  };
}

/** Whether the query is validated. Without parameters in the contract it is not, because caches and proxies add parameters. */
function hasParameters({ page, query, others }: RequestShape, hasBody: boolean): boolean {
  return query.length > 0 || (!hasBody && (page !== undefined || others.length > 0));
}

function headersOf(request: RequestShape, revalidates: boolean): { headers?: JsonSchema } {
  if (!revalidates && request.precondition === undefined && request.headers.length === 0) return {};
  return { headers: headersSchema(request, revalidates ? IF_NONE_MATCH : {}) };
}

/** Whether all members of a body are optional. */
function isOptional(body: JsonSchema | undefined): boolean {
  return (
    body !== undefined && body['minProperties'] === undefined && (body['required'] as readonly string[]).length === 0
  );
}

type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

/** Treats a missing body as an empty object. */
const emptyBody: Hook = (request, _reply, done) => {
  if (request.body === undefined) request.body = {};
  done();
};

/** Creates a hook that turns a repeatable query parameter that was sent once into a list of one. */
export function listParameters(members: readonly Member[]): Hook[] {
  const names = members.filter(({ field }) => field.fieldKind === 'list').map(({ name }) => name);
  if (names.length === 0) return [];
  const hook: Hook = (request, _reply, done) => {
    const query = request.query as Record<string, unknown>;
    for (const name of names) if (typeof query[name] === 'string') query[name] = [query[name]];
    done();
  };
  return [hook];
}

/**
 * Creates a hook that rejects a list with too many objects before the schema validates each object. Only routes with a larger
 * body limit need it.
 */
function refuseLongLists(members: readonly Member[]): Hook[] {
  const lists = members.filter(({ field }) => field.fieldKind === 'list' && innerMessage(field));
  if (lists.length === 0) return [];
  const hook: Hook = ({ body }, _reply, done) => {
    const given = (body ?? {}) as Readonly<Record<string, unknown>>;
    const long = lists.find(({ name, rule }) => Array.isArray(given[name]) && given[name].length > rule.items);
    if (long === undefined) return done();
    const { name, rule } = long;
    const message = `must NOT have more than ${rule.items} items`;
    const violation = { message, format: 'maxItems', props: [name], params: { limit: rule.items } };
    done(invalidFields([violation]));
  };
  return [hook];
}
