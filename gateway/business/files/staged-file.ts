// What the endpoints of files have in common: their schemas, and the translation between JSON and the core's messages.
import Type from 'typebox';
import type { Static } from 'typebox';
import type { FileContent } from '../../../proto/gen/business/v1/file_service.ts';
import type { StagedFile } from '../../../proto/gen/business/v1/record.ts';

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
};

/** Members of an answer that tells of stored bytes. */
export const CONTENT_MEMBERS = {
  contentType: Type.String({ description: 'By the bytes themselves where they are an image, else as declared.' }),
  size: Type.Integer({ description: 'In bytes, as stored: metadata of images is taken out.' }),
};

/** For a route's description: the header that names stored bytes. */
export const CONTENT_HEADERS = { ETag: Type.String({ description: 'SHA-256 of the bytes.' }) };

/** Where a staged file is reached. */
export function stagedPath(apiRoot: string, { date, uuid }: StagedFile): string {
  return `${apiRoot}/files/staging/${date}/${uuid}`;
}

/** Names bytes for ever: other bytes have another one. */
export function contentTag({ sha256 }: Pick<FileContent, 'sha256'>): string {
  return `"${sha256.toString('hex')}"`;
}
