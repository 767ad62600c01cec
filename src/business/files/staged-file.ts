import type {
  PrepareFileRequest,
  PrepareFileResponse,
} from '../../../proto/gen/authservice/business/v1/file_service.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/db/ids.ts';
import type { Database } from '../../platform/db/types.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { assertOwnTenant, tenantOf } from '../tenant.ts';
import { dayOf, STAGED_FOR_MS } from './file.ts';
import { fileNameMessage } from './file-message.ts';
import { insertFile } from './file-store.ts';
import { writeWithinQuota, type StagedQuota } from './staged-quota.ts';

export interface PrepareFileDependencies {
  readonly database: Database;
  readonly clock: Clock;
  /** Most bytes of a file. */
  readonly maxBytes: number;
  readonly quota: StagedQuota;
}

/** FileService.PrepareFile. */
export function createPrepareFile({ database, clock, maxBytes, quota }: PrepareFileDependencies) {
  return async (request: PrepareFileRequest, call: Call): Promise<PrepareFileResponse> => {
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
      content: undefined,
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
