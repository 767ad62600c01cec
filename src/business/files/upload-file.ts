import type * as proto from '../../../proto/gen/authservice/business/v1/file_service.ts';
import { ServiceError } from '../../platform/errors.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import type { Call } from '../../platform/rpc/types.ts';
import type { Dependencies } from '../dependencies.ts';
import { tenantOf } from '../../platform/rpc/tenant.ts';
import { createFindFile } from './staged-file.ts';
import { contentMessage, fileNameMessage, receivedMembers } from './file.ts';
import { lockStagedFile, setContent } from './file-store.ts';
import { releaseObjects } from './release-objects.ts';
import type { TakeIn } from './receive-upload.ts';
import { type CheckChunk, type Parts, createChunkCheck, misplaced, nextPart } from './parts.ts';

/** FileService.UploadFile. */
export function createUploadFile({ database, clock }: Dependencies, takeIn: TakeIn) {
  const findFile = createFindFile({ database, clock });
  return loadThenHandle(
    async (requests: AsyncIterable<proto.UploadFileRequest>, call: Call) => {
      tenantOf(call);
      const checkChunk = createChunkCheck();
      const parts = requests[Symbol.asyncIterator]();
      const { part, contentDigest } = (await nextPart(parts)) ?? {};
      if (part?.$case !== 'file') throw misplaced('the file comes first');
      return { chunks: chunksOf(parts, checkChunk), contentDigest, file: await findFile({ file: part.value }, call) };
    },
    async (_requests, call, { chunks, contentDigest, file }): Promise<proto.UploadFileResponse> => {
      const { tenantId, id, date, fileName, declaredType, declaredSize } = file;
      const expected = {
        tenantId,
        fileName,
        declaredType,
        maximum: declaredSize,
        exact: true,
        // An image may become larger than what was reserved for it.
        addsToStaged: (storedBytes: number) => storedBytes > declaredSize,
        contentDigest,
      };
      return takeIn(call, expected, chunks, async (tx, stored, received) => {
        const now = clock();
        const replaced = await lockStagedFile(tx, tenantId, { date, uuid: id }, now);
        if (replaced === undefined) throw new ServiceError('NOT_FOUND');
        await setContent(tx, { ...file, ...stored });
        await releaseObjects(tx, tenantId, replaced, now);
        return { file: fileNameMessage(file), content: contentMessage(stored), ...receivedMembers(received), tenantId };
      });
    },
  );
}

async function* chunksOf(parts: Parts<proto.UploadFileRequest>, checkChunk: CheckChunk): AsyncGenerator<Uint8Array> {
  for (let next = await nextPart(parts); next; next = await nextPart(parts)) {
    if (next.part?.$case !== 'chunk') throw misplaced('only chunks follow the file');
    if (next.contentDigest !== undefined) throw misplaced('the digest comes with the file');
    yield checkChunk(next.part.value);
  }
}
