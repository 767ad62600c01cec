import type { DeleteFileRequest, DeleteFileResponse } from '../../../proto/gen/authservice/business/v1/file_service.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import { ServiceError } from '../../platform/errors.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { createFindFile } from './existing-file.ts';
import { deleteFile, lockStagedFile } from './file-store.ts';
import { releaseObjects } from './release-objects.ts';

/** FileService.DeleteFile. */
export function createDeleteFile(dependencies: { readonly database: Database; readonly clock: Clock }) {
  const { database, clock } = dependencies;
  return loadThenHandle(
    createFindFile(dependencies),
    async (_request: DeleteFileRequest, call, { tenantId, id, date }): Promise<DeleteFileResponse> => {
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
