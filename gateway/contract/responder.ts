// The responses of derived endpoints: status, headers and body.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageInfo } from '../../proto/gen/authservice/paging/v1/paging.ts';
import { Caching, type Operation } from '../../proto/gen/authservice/rest/v1/rest.ts';
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
import type { Member, Message } from './members.ts';
import { responseMessageSchema } from './message-schemas.ts';
import type { RequestShape, ResponseShape } from './request-shape.ts';
import type { JsonSchema } from './value-schemas.ts';

/** How a route responds. */
export interface Success {
  readonly method: string;
  readonly status: number;
  /** Type of the RPC's response. */
  readonly output: DescMessage;
  readonly operation: Pick<Operation, 'location' | 'locationHasTenant' | 'caching'>;
}

/**
 * Whether a route returns 304 for the version that the client has. The version of a record that clients must not store is for If-Match
 * alone: it has members that change without it, such as the last login of a user.
 */
export function isConditional(
  method: string,
  { caching }: Pick<Operation, 'caching'>,
  { version }: ResponseShape,
): boolean {
  return method === 'GET' && version !== undefined && caching === Caching.CACHING_REVALIDATE;
}

const LOCATION_HEADERS = { Location: Type.String({ description: 'Path of the record.' }) };

const Unchanged = noBody("The client's copy has the current version.", VERSION_HEADERS);

/** Returns the response schemas of a route by status. */
export function responsesOf(
  { method, status, output, operation }: Success,
  { page }: Pick<RequestShape, 'page'>,
  response: ResponseShape,
): Readonly<Record<number, unknown>> {
  const { kind, type, sole, version } = response;
  const { location } = operation;
  const description = commentOf(output.typeName);
  if (kind === 'nothing') return { [status]: noBody(description) };
  const one = sole ? soleOrWhole(sole, type) : responseMessageSchema(type);
  if (kind === 'list') {
    const headers = { ...PAGE_HEADERS, ...(page?.rule.cursor && CURSOR_HEADERS) };
    return { [status]: { type: 'array', items: one, description, headers } };
  }
  const hasVersion = version || sole;
  const headers = { ...(hasVersion && VERSION_HEADERS), ...(location !== '' && LOCATION_HEADERS) };
  const success = { [status]: { ...one, description, ...((hasVersion || location !== '') && { headers }) } };
  return isConditional(method, operation, response) ? { ...success, 304: Unchanged } : success;
}

/** Returns the schema of a body that is a message, or an object with that message and another member. */
function soleOrWhole({ field }: Member, type: DescMessage): JsonSchema {
  const whole = responseMessageSchema(type);
  return {
    oneOf: [responseMessageSchema(field.message!), { ...whole, required: Object.keys(whole['properties'] as object) }],
  };
}

/** Sends the core's response. */
export type Respond = (request: FastifyRequest, reply: FastifyReply, response: Message) => unknown;

/** Creates the function that sends the core's responses for a route. */
export function createResponder({ method, status, operation }: Success, response: ResponseShape): Respond {
  const { kind, type, shown, sole, page, version } = response;
  const { location, locationHasTenant } = operation;
  const revalidates = isConditional(method, operation, response);
  if (kind === 'nothing') return (_request, reply) => reply.code(status).send();
  const encode = compileEncode(type);
  if (kind === 'list') {
    const { key } = shown!;
    return (request, reply, message) => {
      if (page) setPageHeaders(request, reply, message[page.key] as PageInfo | undefined);
      const apiRoot = apiRootOf(request);
      return (message[key] as readonly Message[]).map((item) => encode(item, apiRoot));
    };
  }
  return (request, reply, message) => {
    const record = shown ? requireField(message[shown.key] as Message | undefined, shown.name) : message;
    reply.code(status);
    if (version) {
      const { version: current } = record as { readonly version: number };
      setETag(reply, current);
      if (revalidates && matchesIfNoneMatch(request, current)) return sendNotModified(reply);
    }
    const body = encode(record, apiRootOf(request));
    if (location !== '') {
      const query = locationHasTenant ? tenantOf(request) : '';
      reply.header('location', `${requestPath(request.originalUrl)}/${memberAt(body, location)}${query}`);
    }
    if (!sole || !isAlone(body, sole)) return body;
    const { version: current } = message[sole.key] as { readonly version?: number };
    if (current !== undefined) setETag(reply, current);
    return body[sole.name];
  };
}

/** Whether no other member has a value. */
function isAlone(body: Message, { name }: Member): boolean {
  return Object.entries(body).every(([other, value]) => other === name || value === undefined);
}

/** Returns a member of a body, such as `id` or `webhook.id`. */
function memberAt(body: Message, path: string): string {
  const value = path.split('.').reduce<unknown>((inner, name) => (inner as Message)[name], body);
  if (typeof value !== 'string') throw new TypeError(`The response has no ${path}`);
  return value;
}

/** Returns the tenant that a body names, as a query. */
function tenantOf({ body }: FastifyRequest): string {
  const { tenantId } = body as { readonly tenantId?: string };
  return tenantId === undefined ? '' : `?tenantId=${tenantId}`;
}
