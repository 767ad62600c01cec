// Uploads files as streams of chunks.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Metadata } from '@grpc/grpc-js';
import {
  type FileServiceClient,
  PrepareFileRequest,
  type PrepareFileResponse,
  UploadFileRequest,
  type UploadFileResponse,
} from '../gen/authservice/business/v1/file_service.ts';
import type { StagedFile } from '../gen/authservice/business/v1/record.ts';
import { answer, within } from './core.ts';

const CHUNK_BYTES = 64 * 1024;

/** Stores a file in the caller's tenant and returns its name. */
export async function upload(
  files: FileServiceClient,
  fileName: string,
  content: Buffer,
  metadata: Metadata,
): Promise<StagedFile> {
  const contentType = 'application/octet-stream';
  const request = PrepareFileRequest.fromPartial({ fileName, contentType, size: content.length });
  const { file } = await answer<PrepareFileResponse>((done) =>
    files.prepareFile(request, metadata, within(5_000), done),
  );
  const stored = await answer<UploadFileResponse>((done) => {
    const stream = files.uploadFile(metadata, within(60_000), done);
    // The core can end the upload early. The status contains the reason, and `drain` never comes.
    void send().catch(() => stream.cancel());
    async function send(): Promise<void> {
      stream.write(UploadFileRequest.fromPartial({ file }));
      for (let start = 0; start < content.length; start += CHUNK_BYTES) {
        const chunk = content.subarray(start, start + CHUNK_BYTES);
        if (!stream.write(UploadFileRequest.fromPartial({ chunk }))) await once(stream, 'drain');
      }
      stream.end();
    }
  });
  const digest = createHash('sha256').update(content).digest();
  if (!digest.equals(stored.receivedSha256)) throw new Error('other bytes arrived than were sent');
  return stored.file!;
}
