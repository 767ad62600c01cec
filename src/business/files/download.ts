import type { ByteRange, DownloadStart } from '../../../proto/gen/authservice/business/v1/file_service.ts';
import type { ObjectStore } from '../../platform/files/object-store.ts';
import type { Call } from '../../platform/rpc/types.ts';
import type { FileContent } from './file.ts';
import { contentMessage } from './file-message.ts';
import type { BeginTransfer } from './open-transfers.ts';
import { spanOf } from './range.ts';

/** One message of a download. */
export interface DownloadPart {
  readonly part:
    | { readonly $case: 'start'; readonly value: DownloadStart }
    | { readonly $case: 'chunk'; readonly value: Buffer };
}

/** Sends a content or the requested range of it. Throws RANGE_NOT_SATISFIABLE, TOO_MANY_REQUESTS. */
export type Download = (call: Call, content: FileContent, range: ByteRange | undefined) => AsyncGenerator<DownloadPart>;

export interface SendDownloadDependencies {
  readonly objects: ObjectStore;
  readonly beginTransfer: BeginTransfer;
}

export function createDownload({ objects, beginTransfer }: SendDownloadDependencies): Download {
  return async function* download(call, content, range) {
    const span = spanOf(content, range);
    const endTransfer = beginTransfer(call);
    try {
      // The object is opened before the first message is sent, and closed however the download ends.
      await using bytes = await objects.read(content.objectKey, span, call.deadline.signal);
      yield { part: { $case: 'start', value: { content: contentMessage(content), ...span } } };
      let missing = span.length;
      for await (const chunk of bytes as AsyncIterable<Buffer>) {
        missing -= chunk.length;
        yield { part: { $case: 'chunk', value: chunk } };
      }
      // Fail now, because the client would wait for the missing bytes.
      if (missing !== 0) throw new TypeError('An object in the store is shorter than its stored size');
    } finally {
      endTransfer();
    }
  };
}
