// Responses that contain one record.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from '../type.ts';
import { requestPath } from '../../src/platform/problem/request-path.ts';
import { matchesIfNoneMatch, VERSION_HEADERS, setETag } from './entity-tags.ts';

/** OpenAPI schema of the header that setLocation sets. */
export const LOCATION_HEADERS = { Location: Type.String({ description: 'Path of the record.' }) };

/** OpenAPI schemas of the headers that setCreatedHeaders sets. */
export const CREATED_HEADERS = { ...VERSION_HEADERS, ...LOCATION_HEADERS };

/** OpenAPI schema of the 304 response. */
export const Unchanged = Type.Unsafe<undefined>({
  type: 'null',
  description: "The client's copy has the current version.",
  headers: VERSION_HEADERS,
});

/** OpenAPI schema of the response to a deletion. */
export const Deleted = Type.Unsafe<undefined>({ type: 'null', description: 'The record is deleted.' });

/** Sets status 201, ETag and Location for a record that was created below the request's path. */
export function setCreatedHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  { id, version }: { readonly id: string; readonly version: number },
): void {
  setETag(reply, version);
  reply.code(201);
  setLocation(request, reply, id);
}

/** Sets the Location of a record that was created below the request's path. */
export function setLocation(request: FastifyRequest, reply: FastifyReply, id: string): void {
  reply.header('location', `${requestPath(request.originalUrl)}/${id}`);
}

/** Sets the ETag of a record. Returns true if If-None-Match contains the version, so that a GET responds with 304. */
export function setETagOrNotModified(request: FastifyRequest, reply: FastifyReply, version: number): boolean {
  setETag(reply, version);
  return matchesIfNoneMatch(request, version);
}
