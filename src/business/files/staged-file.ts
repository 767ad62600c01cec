import type * as proto from '../../../proto/gen/authservice/business/v1/file_service.ts';
import { newId } from '../../platform/db/ids.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Call } from '../../platform/rpc/types.ts';
import type { Dependencies } from '../dependencies.ts';
import { assertOwnTenant, tenantOf } from '../../platform/rpc/tenant.ts';
import { STAGED_FOR_MS, type File, dayOf, fileNameMessage } from './file.ts';
import { deleteFile, findStagedFile, insertFile, lockStagedFile } from './file-store.ts';
import { type StagedQuota, writeWithinQuota } from './staged-quota.ts';
import type { StagedFile as NameMessage } from '../../../proto/gen/authservice/business/v1/record.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { releaseObjects } from './release-objects.ts';

/**
 * Returns the staged file that a request names, within the caller's tenant. Throws NOT_FOUND, also for malformed names.
 */
export function createFindFile({ database, clock }: Dependencies) {
  return async ({ file }: { readonly file?: NameMessage | undefined }, call: Call): Promise<File> => {
    const tenantId = tenantOf(call);
    const found = file && (await findStagedFile(database, tenantId, file, clock()));
    if (!found) throw new ServiceError('NOT_FOUND');
    return found;
  };
}

/** FileService.PrepareFile. `maxBytes` are the most bytes of a file. */
export function createPrepareFile({
  database,
  clock,
  maxBytes,
  quota,
}: Dependencies & { readonly maxBytes: number; readonly quota: StagedQuota }) {
  return async (request: proto.PrepareFileRequest, call: Call): Promise<proto.PrepareFileResponse> => {
    const tenantId = tenantOf(call);
    const { fileName, contentType: declaredType, size: declaredSize } = request;
    assertOwnTenant(call, request.tenantId);
    if (declaredSize > maxBytes) {
      throw new ServiceError('PAYLOAD_TOO_LARGE', { publicMessage: `A file may have ${maxBytes} bytes at most` });
    }

    const createdAt = clock();
    const file = {
      id: newId(),
      tenantId,
      date: dayOf(createdAt),
      fileName,
      declaredType,
      declaredSize,
      createdBy: call.principal!.account.id,
      createdAt,
      expiresAt: createdAt + STAGED_FOR_MS,
    };
    await database.transaction(call.deadline, (tx) =>
      writeWithinQuota(tx, { tenantId, quota, now: createdAt }, () => insertFile(tx, file)),
    );
    return { file: fileNameMessage(file), maxBytes: declaredSize, expiresAt: new Date(file.expiresAt), tenantId };
  };
}

/** FileService.DeleteFile. */
export function createDeleteFile(dependencies: Dependencies) {
  const { database, clock } = dependencies;
  return loadThenHandle(
    createFindFile(dependencies),
    async (_request: proto.DeleteFileRequest, call, { tenantId, id, date }): Promise<proto.DeleteFileResponse> => {
      await database.transaction(call.deadline, async (tx) => {
        const now = clock();
        const keys = await lockStagedFile(tx, tenantId, { date, uuid: id }, now);
        if (keys === undefined) throw new ServiceError('NOT_FOUND');
        await deleteFile(tx, tenantId, id);
        await releaseObjects(tx, tenantId, keys, now);
      });
      return {};
    },
  );
}
