// Versions of records as entity tags (RFC 9110 section 8.8.3).
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from '../type.ts';
import type { Precondition } from '../../proto/gen/authservice/record/v1/record.ts';

/** OpenAPI schema of the response header with the version of a record. */
export const VERSION_HEADERS = { ETag: Type.String({ description: 'Version of the record, for If-Match.' }) };

/** Member of a route's request header schema. */
export const IF_MATCH = {
  'if-match': Type.Optional(
    Type.String({ description: 'Changes the record only if it has one of these versions, else 412.' }),
  ),
};

/** Member of a route's request header schema. */
export const IF_NONE_MATCH = {
  'if-none-match': Type.Optional(Type.String({ description: 'Returns 304 if the record has one of these versions.' })),
};

const ENTITY_TAG = /^"([1-9]\d{0,14})"$/;

/** How proxies that compress end a tag: `"7"` becomes `"7-gzip"` (Caddy, Apache) or `"7--gzip"` (Jetty). */
const CODING = /--?(?:br|deflate|gzip|zstd)"$/;

/** Sets the ETag to the version of a record. */
export function setETag(reply: FastifyReply, version: number): void {
  reply.header('etag', entityTag(version));
}

/**
 * Parses If-Match. Returns undefined without the header and for `*`. A value that is not an entity tag of this service matches no
 * version (RFC 9110 section 13.1.1). Tags that a compressing proxy has changed count: a version does not depend on the coding.
 */
export function parseIfMatch({ headers }: Pick<FastifyRequest, 'headers'>): Precondition | undefined {
  const header = headers['if-match'];
  if (header === undefined || header.trim() === '*') return undefined;
  return {
    versions: header
      .split(',')
      .flatMap((tag) => ENTITY_TAG.exec(withoutCoding(strongForm(tag)))?.[1] ?? [])
      .map(Number),
  };
}

/** Whether If-None-Match contains the version, so that the response is 304 (RFC 9110 section 13.1.2). */
export function matchesIfNoneMatch(request: Pick<FastifyRequest, 'headers'>, version: number): boolean {
  return ifNoneMatchContains(request, entityTag(version));
}

/** Whether If-None-Match contains an entity tag, also as a compressing proxy changes it, or `*`. */
export function ifNoneMatchContains({ headers }: Pick<FastifyRequest, 'headers'>, entityTag: string): boolean {
  const header = headers['if-none-match'];
  if (header === undefined) return false;
  const tags = header.split(',').map(strongForm);
  return tags.some((tag) => tag === '*' || tag === entityTag || withoutCoding(tag) === entityTag);
}

function strongForm(tag: string): string {
  return tag.trim().replace(/^W\//, '');
}

function withoutCoding(tag: string): string {
  return tag.replace(CODING, '"');
}

function entityTag(version: number): string {
  return `"${version}"`;
}
