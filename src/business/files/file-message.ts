import type { FileContent as ContentMessage } from '../../../proto/gen/authservice/business/v1/file_service.ts';
import type { StagedFile as NameMessage } from '../../../proto/gen/authservice/business/v1/record.ts';
import type { FileContent, StagedFile } from './file.ts';
import type { ReceivedContent } from './received-content.ts';

/** What is told of stored content; how the store calls it is nobody's business. */
export function contentMessage({ contentType, size, sha256, fileName }: FileContent): ContentMessage {
  return { contentType, size, sha256, fileName };
}

/** The name of a staged file. */
export function fileNameMessage({ date, id }: Pick<StagedFile, 'date' | 'id'>): NameMessage {
  return { date, uuid: id };
}

/** What a response tells of the content as it came. */
export function receivedMembers({ size, sha256 }: ReceivedContent) {
  return { receivedSize: size, receivedSha256: sha256 };
}
