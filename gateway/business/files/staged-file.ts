// Shared parts of the file endpoints: schemas, and the conversion between JSON and the core's messages.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from '../../type.ts';
import type { Static } from 'typebox';
import type { FileContent, UploadFileResponse } from '../../../proto/gen/authservice/business/v1/file_service.ts';
import type { StagedFile } from '../../../proto/gen/authservice/business/v1/record.ts';
import { requireField } from '../../clients.ts';
import { documented } from '../../schema/documented.ts';

/** Accepts any text: a malformed date or id is NOT_FOUND, not a violation. */
export const FileParams = Type.Object({
  date: Type.String({ description: 'The day on which the file was prepared, YYYY-MM-DD.' }),
  uuid: Type.String({ description: 'Id of the file.' }),
});
export type FileParams = Static<typeof FileParams>;

/** Schemas of the response members that identify a file. */
export const NAME_MEMBERS = {
  date: Type.String({ description: 'The day on which the file was prepared, in UTC.', examples: ['2026-02-14'] }),
  uuid: Type.String(),
  tenantId: Type.String(),
};

/** Schemas of the response members that describe the received and the stored bytes. */
export const CONTENT_MEMBERS = {
  contentType: Type.String({ description: 'Media type. Detected from the bytes of images, else as declared.' }),
  size: Type.Integer({
    description:
      'Stored size in bytes. Images are re-encoded without metadata, so their size and hash differ from those of the received bytes.',
  }),
  sha256: Type.String({ description: 'SHA-256 of the stored bytes, hexadecimal.' }),
  receivedSize: Type.Integer({ description: 'Received bytes of the file.' }),
  receivedSha256: Type.String({ description: 'SHA-256 of the received bytes of the file, hexadecimal.' }),
};

/** Sets the ETag of stored bytes. Returns the response members of the file and its bytes. */
export function uploadBody(
  reply: FastifyReply,
  { date, uuid }: StagedFile,
  { content, tenantId, receivedSize, receivedSha256 }: Omit<UploadFileResponse, 'file'>,
) {
  const { contentType, size, sha256 } = requireField(content, 'content');
  reply.header('etag', contentTag({ sha256 }));
  return {
    date,
    uuid,
    tenantId,
    contentType,
    size,
    sha256: sha256.toString('hex'),
    receivedSize,
    receivedSha256: receivedSha256.toString('hex'),
  };
}

/** Documents one digest or an empty value. The core also accepts several digests and other algorithms (RFC 9530). */
const CONTENT_DIGEST = '^(?:sha-256=:[A-Za-z0-9+/]{43}=:|sha-512=:[A-Za-z0-9+/]{86}==:)?$';

/** Schema of the request header with the digest of the body. */
export const DIGEST_HEADERS = Type.Object({
  'content-digest': Type.Optional(
    Type.String({
      description:
        'Digest of the whole request body (RFC 9530), sha-256 or sha-512. If it does not match, the request is rejected and ' +
        'nothing is stored. Other algorithms are ignored.',
      ...documented({ pattern: CONTENT_DIGEST }),
      examples: ['sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:'],
    }),
  ),
});

/** OpenAPI schema of the response header that identifies stored bytes. */
export const CONTENT_HEADERS = { ETag: Type.String({ description: 'SHA-256 of the bytes.' }) };

/** Returns the Content-Digest header of a request. */
export function contentDigestOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const field = headers['content-digest'];
  return typeof field === 'object' ? field.join(', ') : field;
}

/** Returns the path of a staged file. */
export function stagedPath(apiRoot: string, { date, uuid }: StagedFile): string {
  return `${apiRoot}/files/staging/${date}/${uuid}`;
}

/** Returns the ETag of stored bytes: their SHA-256 in quotes. */
export function contentTag({ sha256 }: Pick<FileContent, 'sha256'>): string {
  return `"${sha256.toString('hex')}"`;
}
