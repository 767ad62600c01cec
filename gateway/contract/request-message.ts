// Converts a validated HTTP request to the request message of an RPC.
import type { FastifyRequest } from 'fastify';
import type { DescMessage } from '../../src/platform/rpc/contract/descriptors.ts';
import { emptyMessage } from '../../src/platform/rpc/contract/values.ts';
import { parseIfMatch } from '../http/entity-tags.ts';
import { pageRequest } from '../http/paging.ts';
import { compileDecode, compileMessageDecode, type Decode } from './decode.ts';
import type { Member, Message } from './members.ts';
import type { RequestShape } from './request-shape.ts';

/** How a route interprets its request body. */
export interface BodySemantics {
  /** The fields that the body can set. */
  readonly settable: readonly Member[];
  /** Whether absent fields are reset to their default (PUT). */
  readonly replaces: boolean;
  /** Whether the route creates a record. */
  readonly creates: boolean;
  /** Whether the body must not contain read-only members of the response, nor null, except to remove a field. */
  readonly strict: boolean;
}

/** Compiles the conversion of a route's requests. */
export function compileRequest(input: DescMessage, shape: RequestShape, semantics: BodySemantics) {
  const empty = emptyMessage(input);
  const { record, precondition, page, query, others, headers } = shape;
  const decode = compileDecode(others);
  const decodeQuery = compileDecode(query);
  const decodeHeaders = compileDecode(headers.map((member) => ({ ...member, name: member.rule.header.toLowerCase() })));
  const decodeFields = fieldsDecoder(shape, semantics);
  const decodeAccess = compileDecode(others.filter(({ rule }) => rule.authorizes));

  const recordOf = (request: FastifyRequest): Message => {
    const given = request.params as Message;
    return Object.fromEntries(record.map(({ key, name }) => [key, given[name]]));
  };
  return {
    toMessage: (request: FastifyRequest): Message => {
      const given = (request.body ?? request.query ?? {}) as Message;
      return {
        ...empty,
        ...recordOf(request),
        ...decode(given),
        ...decodeQuery((request.query ?? {}) as Message),
        ...decodeHeaders(request.headers),
        ...decodeFields(given),
        ...(page && { [page.key]: pageRequest(request.query as Parameters<typeof pageRequest>[0]) }),
        ...(precondition && { [precondition.key]: parseIfMatch(request) }),
      };
    },
    /** Converts only the fields that the access to the record depends on. */
    toAccessCheck: (request: FastifyRequest): Message => ({
      ...empty,
      ...recordOf(request),
      ...decodeAccess((request.body ?? {}) as Message),
      ...decodeQuery(textsOf(request.query)),
    }),
  };
}

/** Returns the query parameters that were sent once. The query is not validated. */
function textsOf(query: unknown): Message {
  return Object.fromEntries(Object.entries(query ?? {}).filter(([, value]) => typeof value === 'string'));
}

/** Compiles the conversion of the record's fields and of the update mask. */
function fieldsDecoder({ fields, mask }: RequestShape, { settable, replaces }: BodySemantics): Decode {
  if (fields === undefined) return () => ({});
  const decode = compileMessageDecode(fields.type, settable);
  const { key } = fields.holder;
  if (mask === undefined) return (body) => ({ [key]: decode(body) });
  const all = settable.map(({ path }) => path);
  const named = (body: Message) => settable.filter(({ name }) => Object.hasOwn(body, name)).map(({ path }) => path);
  return (body) => ({ [key]: decode(body), [mask.key]: replaces ? all : named(body) });
}
