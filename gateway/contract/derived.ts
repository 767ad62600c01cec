// Endpoints derived from the protos: schemas, codecs and OpenAPI text come from the descriptors.
// Imported by gateway/business, gateway/openapi and the tables of routes.
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { noStore } from '../http/no-store.ts';
import { apiRootOf } from '../http/api-root.ts';
import { privateNoCache } from '../http/private-no-cache.ts';
import {
  CREATED_HEADERS,
  Deleted,
  LOCATION_HEADERS,
  Unchanged,
  writeCreated,
  setETagOrNotModified,
  writeLocation,
} from '../http/record-response.ts';
import { requireField } from './require-field.ts';
import { sendNotModified } from '../http/send-not-modified.ts';
import { IF_NONE_MATCH, VERSION_HEADERS } from '../http/entity-tags.ts';
import { unaryCall } from '../clients.ts';
import { authorizeFirst } from '../http/authorize-first.ts';
import type { Endpoint, Route } from '../endpoint.ts';
import { callOptions } from '../http/call-options.ts';
import { ignoreTypeOfEmptyBody } from '../http/json-body.ts';
import { commentOf } from './comments.ts';
import { PAGE_HEADERS, writePage } from '../http/paging.ts';
import type { PageInfo } from '../../proto/gen/authservice/paging/v1/paging.ts';
import { contracts } from './contracts.ts';
import { isAboutRecords } from './conventions.ts';
import { compileEncode } from './encode.ts';
import { refuseLongLists } from './long-lists.ts';
import type { DescMessage } from '../../src/rpc/contract/descriptors.ts';
import { listParameters } from './list-parameters.ts';
import { innerMessage, shownMembersOf, type Message } from './members.ts';
import { shownMessage } from './message-schemas.ts';
import { failuresOf, operationOf } from './operation.ts';
import { compileRequest, type Meaning } from './request-message.ts';
import { requestShape, responseShape, type RequestShape, type ResponseShape } from './request-shape.ts';
import { bodySchema, headersSchema, pathSchema, querySchema } from './request-schemas.ts';
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
      config: { ...route.config, failures: failuresOf(method), bodyIsOptional: canBeEmpty },
      schema: {
        ...operationOf(method, route),
        ...(parameters.length > 0 && { params: pathSchema(request, parameters) }),
        ...(!hasBody && hasParameters(request) && { querystring: querySchema(request) }),
        ...headersOf(route, request, response),
        ...(body && { body }),
        response: responsesOf(route, response, strict),
      } satisfies FastifySchema,
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

function isCreation({ method, config }: Route): boolean {
  return method === 'POST' && /\/(?:Create|Issue)\w+$/.test(config.rpc!);
}

function responsesOf(route: Route, response: ResponseShape, strict: boolean): Readonly<Record<number, unknown>> {
  const { kind, type, version } = response;
  const description = commentOf(contracts().methodOf(route.config.rpc!).output.typeName);
  if (kind === 'nothing') return { 204: { ...Deleted, description } };
  const one = shownMessage(type);
  if (kind === 'list') return { 200: { type: 'array', items: one, description, headers: PAGE_HEADERS } };
  const isNew = isCreation(route);
  const located = isNew && strict && locator(type) ? LOCATION_HEADERS : undefined;
  const headers = version ? (isNew ? CREATED_HEADERS : VERSION_HEADERS) : located;
  const success = { [isNew ? 201 : 200]: { ...one, description, ...(headers && { headers }) } };
  return version && route.method === 'GET' ? { ...success, 304: Unchanged } : success;
}

type Answer = (request: FastifyRequest, reply: FastifyReply, response: Message) => unknown;

/** What becomes of the core's response. */
function answerer(route: Route, { kind, type, shown, page, version }: ResponseShape, strict: boolean): Answer {
  if (kind === 'nothing') return (_request, reply) => reply.code(204).send();
  const encode = compileEncode(type);
  const isNew = isCreation(route);
  const locate = isNew && strict ? locator(type) : undefined;
  if (kind === 'whole') {
    return (request, reply, response) => {
      const body = encode(response, apiRootOf(request));
      if (isNew) reply.code(201);
      locate?.(request, reply, body);
      return body;
    };
  }
  const { key, name } = shown!;
  if (kind === 'list') {
    return (request, reply, response) => {
      if (page) writePage(request, reply, response[page.key] as PageInfo | undefined);
      const apiRoot = apiRootOf(request);
      return (response[key] as readonly Message[]).map((item) => encode(item, apiRoot));
    };
  }
  return (request, reply, response) => {
    const record = requireField(response[key] as Message | undefined, name);
    if (isNew) reply.code(201);
    if (version) {
      const versioned = record as Message & { readonly id: string; readonly version: number };
      if (isNew) writeCreated(request, reply, versioned);
      else if (setETagOrNotModified(request, reply, versioned.version) && route.method === 'GET')
        return sendNotModified(reply);
    }
    const body = encode(record, apiRootOf(request));
    locate?.(request, reply, body);
    return body;
  };
}

type Locate = (request: FastifyRequest, reply: FastifyReply, body: Message) => void;

/**
 * Makes a function that sets the Location of a new record: below the request's path, by the id that the body or its first object
 * shows. Without such an id there is none.
 */
function locator(type: DescMessage): Locate | undefined {
  const hasId = (message: DescMessage) => shownMembersOf(message).some(({ name }) => name === 'id');
  if (hasId(type)) return (request, reply, { id }) => writeLocation(request, reply, id as string);
  const holder = shownMembersOf(type).find(({ field }) => innerMessage(field));
  if (holder === undefined || !hasId(innerMessage(holder.field)!)) return undefined;
  return (request, reply, body) => writeLocation(request, reply, (body[holder.name] as { readonly id: string }).id);
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
