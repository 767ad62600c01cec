// The responses of derived endpoints: status, headers and body.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageInfo } from '../../proto/gen/authservice/paging/v1/paging.ts';
import type { DescMessage } from '../../src/platform/rpc/contract/descriptors.ts';
import type { Route } from '../endpoint.ts';
import { apiRootOf } from '../api-path.ts';
import { CURSOR_HEADERS, PAGE_HEADERS, setPageHeaders } from '../http/paging.ts';
import {
  CREATED_HEADERS,
  Deleted,
  LOCATION_HEADERS,
  Unchanged,
  setCreatedHeaders,
  setETagOrNotModified,
  setLocation,
} from '../http/record-response.ts';
import { sendNotModified } from '../http/caching.ts';
import { VERSION_HEADERS } from '../http/entity-tags.ts';
import { commentOf } from './comments.ts';
import { contracts } from './contracts.ts';
import { compileEncode } from './encode.ts';
import { type Message, innerMessage, responseMembersOf } from './members.ts';
import { responseMessageSchema } from './message-schemas.ts';
import type { RequestShape, ResponseShape } from './request-shape.ts';
import { requireField } from './require-field.ts';

/** Whether a route creates a record. */
export function isCreation({ method, config }: Route): boolean {
  return method === 'POST' && /\/(?:Create|Issue)\w+$/.test(config.rpc!);
}

/** Returns the response schemas of a route by status. */
export function responsesOf(
  route: Route,
  { page }: Pick<RequestShape, 'page'>,
  response: ResponseShape,
  strict: boolean,
): Readonly<Record<number, unknown>> {
  const { kind, type, version } = response;
  const description = commentOf(contracts().methodOf(route.config.rpc!).output.typeName);
  if (kind === 'nothing') return { 204: { ...Deleted, description } };
  const one = responseMessageSchema(type);
  if (kind === 'list') {
    const headers = { ...PAGE_HEADERS, ...(page?.rule.cursor && CURSOR_HEADERS) };
    return { 200: { type: 'array', items: one, description, headers } };
  }
  const isNew = isCreation(route);
  const located = isNew && strict && locator(type) ? LOCATION_HEADERS : undefined;
  const headers = version ? (isNew ? CREATED_HEADERS : VERSION_HEADERS) : located;
  const success = { [isNew ? 201 : 200]: { ...one, description, ...(headers && { headers }) } };
  return version && route.method === 'GET' ? { ...success, 304: Unchanged } : success;
}

/** Sends the core's response. */
export type Respond = (request: FastifyRequest, reply: FastifyReply, response: Message) => unknown;

/** Creates the function that sends the core's responses for a route. */
export function createResponder(
  route: Route,
  { kind, type, shown, page, version }: ResponseShape,
  strict: boolean,
): Respond {
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
      if (page) setPageHeaders(request, reply, response[page.key] as PageInfo | undefined);
      const apiRoot = apiRootOf(request);
      return (response[key] as readonly Message[]).map((item) => encode(item, apiRoot));
    };
  }
  return (request, reply, response) => {
    const record = requireField(response[key] as Message | undefined, name);
    if (isNew) reply.code(201);
    if (version) {
      const versioned = record as Message & { readonly id: string; readonly version: number };
      if (isNew) setCreatedHeaders(request, reply, versioned);
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
 * Creates a function that sets the Location of a new record: the request's path and the id in the body or in its first object.
 * Undefined if the response has no such id.
 */
function locator(type: DescMessage): Locate | undefined {
  const hasId = (message: DescMessage) => responseMembersOf(message).some(({ name }) => name === 'id');
  if (hasId(type)) return (request, reply, { id }) => setLocation(request, reply, id as string);
  const holder = responseMembersOf(type).find(({ field }) => innerMessage(field));
  if (holder === undefined || !hasId(innerMessage(holder.field)!)) return undefined;
  return (request, reply, body) => setLocation(request, reply, (body[holder.name] as { readonly id: string }).id);
}
