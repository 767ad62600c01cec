// Answers that show one record.
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { requestPath } from '../../src/problem/request-path.ts';
import { matchesIfNoneMatch, VERSION_HEADERS, setETag } from './entity-tags.ts';

/** For a route's description: what writeLocation sets. */
export const LOCATION_HEADERS = { Location: Type.String({ description: 'Path of the record.' }) };

/** For a route's description: what writeCreated sets. */
export const CREATED_HEADERS = { ...VERSION_HEADERS, ...LOCATION_HEADERS };

/** For a route's description: the answer to a client that has the record in this version. */
export const Unchanged = Type.Unsafe<undefined>({
  type: 'null',
  description: 'The client has the record in this version.',
  headers: VERSION_HEADERS,
});

/** For a route's description: the answer to a deletion. */
export const Deleted = Type.Unsafe<undefined>({ type: 'null', description: 'The record is deleted.' });

/** Answers 201 for a record that was added below the request's path. */
export function writeCreated(
  request: FastifyRequest,
  reply: FastifyReply,
  { id, version }: { readonly id: string; readonly version: number },
): void {
  setETag(reply, version);
  reply.code(201);
  writeLocation(request, reply, id);
}

/** Names the path of a record that was added below the request's path. */
export function writeLocation(request: FastifyRequest, reply: FastifyReply, id: string): void {
  reply.header('location', `${requestPath(request.originalUrl)}/${id}`);
}

/** Sets the headers of a record that a GET shows; true where 304 will do without the record. */
export function setETagOrNotModified(request: FastifyRequest, reply: FastifyReply, version: number): boolean {
  setETag(reply, version);
  return matchesIfNoneMatch(request, version);
}
