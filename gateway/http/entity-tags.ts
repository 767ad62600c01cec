// Versions of records as HTTP knows them: entity tags (RFC 9110 section 8.8.3).
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Precondition } from '../../proto/gen/authservice/business/v1/record.ts';

/** For a route's description: the header that shows a record's version. */
export const VERSION_HEADERS = { ETag: Type.String({ description: 'Version of the record, for If-Match.' }) };

/** Member of a route's header schema. */
export const IF_MATCH = {
  'if-match': Type.Optional(
    Type.String({ description: 'Changes the record only while it is in one of these versions, else 412.' }),
  ),
};

/** Member of a route's header schema. */
export const IF_NONE_MATCH = {
  'if-none-match': Type.Optional(
    Type.String({ description: 'Answers 304 where the record is in one of these versions.' }),
  ),
};

const ENTITY_TAG = /^"([1-9]\d{0,14})"$/;

/** Sets the header that shows a record's version. */
export function setETag(reply: FastifyReply, version: number): void {
  reply.header('etag', entityTag(version));
}

/** The versions that If-Match names; what is no strong entity tag of ours matches no version (RFC 9110 section 13.1.1). */
export function parseIfMatch({ headers }: Pick<FastifyRequest, 'headers'>): Precondition | undefined {
  const header = headers['if-match'];
  if (header === undefined || header.trim() === '*') return undefined;
  return {
    versions: header
      .split(',')
      .flatMap((tag) => ENTITY_TAG.exec(tag.trim())?.[1] ?? [])
      .map(Number),
  };
}

/** Whether If-None-Match names the version that the client would get, so that 304 will do (section 13.1.2). */
export function matchesIfNoneMatch(request: Pick<FastifyRequest, 'headers'>, version: number): boolean {
  return ifNoneMatchNames(request, entityTag(version));
}

/** Whether If-None-Match names an entity tag. */
export function ifNoneMatchNames({ headers }: Pick<FastifyRequest, 'headers'>, entityTag: string): boolean {
  const header = headers['if-none-match'];
  if (header === undefined) return false;
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(entityTag);
}

function entityTag(version: number): string {
  return `"${version}"`;
}
