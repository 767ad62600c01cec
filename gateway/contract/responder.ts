// The responses of derived endpoints: status, headers and body.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageInfo } from '../../proto/gen/authservice/paging/v1/paging.ts';
import type { DescMessage } from '../../src/platform/rpc/contract/descriptors.ts';
import { apiRootOf } from '../api-path.ts';
import { requireField } from '../clients.ts';
import { CURSOR_HEADERS, PAGE_HEADERS, setPageHeaders } from '../http/paging.ts';
import { sendNotModified } from '../http/caching.ts';
import { matchesIfNoneMatch, setETag, VERSION_HEADERS } from '../http/entity-tags.ts';
import { requestPath } from '../../src/platform/problem/request-path.ts';
import { noBody, Type } from '../type.ts';
import { commentOf } from './contracts.ts';
import { compileEncode } from './encode.ts';
import { type Message, innerMessage, responseMembersOf } from './members.ts';
import { responseMessageSchema } from './message-schemas.ts';
import type { RequestShape, ResponseShape } from './request-shape.ts';

/** How a route responds. */
export interface Success {
  readonly method: string;
  readonly status: number;
  /** Type of the RPC's response. */
  readonly output: DescMessage;
  /** Whether the path of a created record is sent even if the record has no version. */
  readonly strict: boolean;
}

const LOCATION_HEADERS = { Location: Type.String({ description: 'Path of the record.' }) };

const Unchanged = noBody("The client's copy has the current version.", VERSION_HEADERS);

/** Returns the response schemas of a route by status. */
export function responsesOf(
  { method, status, output, strict }: Success,
  { page }: Pick<RequestShape, 'page'>,
  { kind, type, version }: ResponseShape,
): Readonly<Record<number, unknown>> {
  const description = commentOf(output.typeName);
  if (kind === 'nothing') return { [status]: noBody(description) };
  const one = responseMessageSchema(type);
  if (kind === 'list') {
    const headers = { ...PAGE_HEADERS, ...(page?.rule.cursor && CURSOR_HEADERS) };
    return { [status]: { type: 'array', items: one, description, headers } };
  }
  const isNew = status === 201;
  const located = isNew && strict && locator(type) ? LOCATION_HEADERS : undefined;
  const headers = version ? { ...VERSION_HEADERS, ...(isNew && LOCATION_HEADERS) } : located;
  const success = { [status]: { ...one, description, ...(headers && { headers }) } };
  return version && method === 'GET' ? { ...success, 304: Unchanged } : success;
}

/** Sends the core's response. */
export type Respond = (request: FastifyRequest, reply: FastifyReply, response: Message) => unknown;

/** Creates the function that sends the core's responses for a route. */
export function createResponder(
  { method, status, strict }: Success,
  { kind, type, shown, page, version }: ResponseShape,
): Respond {
  if (kind === 'nothing') return (_request, reply) => reply.code(status).send();
  const encode = compileEncode(type);
  const isNew = status === 201;
  const locate = isNew && strict ? locator(type) : undefined;
  if (kind === 'list') {
    const { key } = shown!;
    return (request, reply, response) => {
      if (page) setPageHeaders(request, reply, response[page.key] as PageInfo | undefined);
      const apiRoot = apiRootOf(request);
      return (response[key] as readonly Message[]).map((item) => encode(item, apiRoot));
    };
  }
  return (request, reply, response) => {
    const record = shown ? requireField(response[shown.key] as Message | undefined, shown.name) : response;
    reply.code(status);
    if (version) {
      const { id, version: current } = record as { readonly id?: string; readonly version: number };
      setETag(reply, current);
      if (isNew && id !== undefined) setLocation(request, reply, id);
      else if (method === 'GET' && matchesIfNoneMatch(request, current)) return sendNotModified(reply);
    }
    const body = encode(record, apiRootOf(request));
    locate?.(request, reply, body);
    return body;
  };
}

/** Sets the Location of a record that was created below the request's path. */
function setLocation(request: FastifyRequest, reply: FastifyReply, id: string, query = ''): void {
  reply.header('location', `${requestPath(request.originalUrl)}/${id}${query}`);
}

/** Returns the tenant that a body names, as a query. */
function tenantOf({ body }: FastifyRequest): string {
  const { tenantId } = body as { readonly tenantId?: string };
  return tenantId === undefined ? '' : `?tenantId=${tenantId}`;
}

type Locate = (request: FastifyRequest, reply: FastifyReply, body: Message) => void;

/**
 * Creates a function that sets the Location of a new record: the request's path and the id in the body or in its first object.
 * A record without an id has its name there, which is unique in the tenant of the request. Undefined if the response has neither.
 */
function locator(type: DescMessage): Locate | undefined {
  const hasId = (message: DescMessage) => responseMembersOf(message).some(({ name }) => name === 'id');
  if (hasId(type)) return (request, reply, { id }) => setLocation(request, reply, id as string);
  if (responseMembersOf(type).some(({ name }) => name === 'name')) {
    return (request, reply, { name }) => setLocation(request, reply, name as string, tenantOf(request));
  }
  const holder = responseMembersOf(type).find(({ field }) => innerMessage(field));
  if (holder === undefined || !hasId(innerMessage(holder.field)!)) return undefined;
  return (request, reply, body) => setLocation(request, reply, (body[holder.name] as { readonly id: string }).id);
}
