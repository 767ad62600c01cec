import type { FileContent as ContentMessage } from '../../../proto/gen/authservice/business/v1/file_service.ts';
import type { StagedFile as NameMessage } from '../../../proto/gen/authservice/business/v1/record.ts';
import type { FileContent, StagedFile } from './file.ts';
import type { ReceivedContent } from './received-content.ts';

/** Converts stored content to its proto message. The object key stays internal. */
export function contentMessage({ contentType, size, sha256, fileName }: FileContent): ContentMessage {
  return { contentType, size, sha256, fileName };
}

/** Returns the name of a staged file. */
export function fileNameMessage({ date, id }: Pick<StagedFile, 'date' | 'id'>): NameMessage {
  return { date, uuid: id };
}

/** Converts the received content to the response's proto message. */
export function receivedMembers({ size, sha256 }: ReceivedContent) {
  return { receivedSize: size, receivedSha256: sha256 };
}
