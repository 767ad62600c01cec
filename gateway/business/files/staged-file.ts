// What the endpoints of files have in common: their schemas, and the translation between JSON and the core's messages.
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Static } from 'typebox';
import type { FileContent, UploadFileResponse } from '../../../proto/gen/authservice/business/v1/file_service.ts';
import type { StagedFile } from '../../../proto/gen/authservice/business/v1/record.ts';
import { documented } from '../../schema/documented.ts';

/** Any text: what cannot be a day or an id names no file. */
export const FileParams = Type.Object({
  date: Type.String({ description: 'The day on which the file was prepared, YYYY-MM-DD.' }),
  uuid: Type.String({ description: 'Id of the file.' }),
});
export type FileParams = Static<typeof FileParams>;

/** Members of an answer that names a file. */
export const NAME_MEMBERS = {
  date: Type.String({ description: 'The day on which it was prepared, in UTC.', examples: ['2026-02-14'] }),
  uuid: Type.String(),
  tenantId: Type.String(),
};

/** Members of an answer that tells of bytes that came and were stored. */
export const CONTENT_MEMBERS = {
  contentType: Type.String({ description: 'By the bytes themselves where they are an image, else as declared.' }),
  size: Type.Integer({
    description:
      'In bytes, as stored. Images are encoded again, without metadata: their size and hash are not those of the bytes sent.',
  }),
  sha256: Type.String({ description: 'Of the bytes as stored, hexadecimal.' }),
  receivedSize: Type.Integer({ description: 'How many bytes of the file came.' }),
  receivedSha256: Type.String({ description: 'Of the bytes of the file that came, hexadecimal.' }),
};

/** What an upload's answer tells of its bytes. */
export function contentMembers(
  { contentType, size, sha256 }: FileContent,
  { receivedSize, receivedSha256 }: Pick<UploadFileResponse, 'receivedSize' | 'receivedSha256'>,
) {
  return {
    contentType,
    size,
    sha256: sha256.toString('hex'),
    receivedSize,
    receivedSha256: receivedSha256.toString('hex'),
  };
}

/** One digest or none. The core takes several, and such of other algorithms, as RFC 9530 has them. */
const CONTENT_DIGEST = '^(?:sha-256=:[A-Za-z0-9+/]{43}=:|sha-512=:[A-Za-z0-9+/]{86}==:)?$';

/** For a route's description: the digest of a request's body. */
export const DIGEST_HEADERS = Type.Object({
  'content-digest': Type.Optional(
    Type.String({
      description:
        'Digest of the whole request body (RFC 9530) by sha-256 or sha-512: if it does not match, the request is refused and ' +
        'nothing of it is kept. Other algorithms are ignored.',
      ...documented({ pattern: CONTENT_DIGEST }),
      examples: ['sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:'],
    }),
  ),
});

/** For a route's description: the header that names stored bytes. */
export const CONTENT_HEADERS = { ETag: Type.String({ description: 'SHA-256 of the bytes.' }) };

/** The digest that came with a request's body. */
export function contentDigestOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const field = headers['content-digest'];
  return typeof field === 'object' ? field.join(', ') : field;
}

/** Where a staged file is reached. */
export function stagedPath(apiRoot: string, { date, uuid }: StagedFile): string {
  return `${apiRoot}/files/staging/${date}/${uuid}`;
}

/** Names bytes for ever: other bytes have another one. */
export function contentTag({ sha256 }: Pick<FileContent, 'sha256'>): string {
  return `"${sha256.toString('hex')}"`;
}
