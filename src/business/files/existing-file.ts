import type { StagedFile as NameMessage } from '../../../proto/gen/authservice/business/v1/record.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Statements } from '../../platform/db/types.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { tenantOf } from '../tenant.ts';
import type { StagedFile } from './file.ts';
import { findStagedFile } from './file-store.ts';

/**
 * Returns the staged file that a request names, within the caller's tenant. Throws NOT_FOUND, also for malformed names.
 */
export function createFindFile({ database, clock }: { readonly database: Statements; readonly clock: Clock }) {
  return async ({ file }: { readonly file?: NameMessage | undefined }, call: Call): Promise<StagedFile> => {
    const tenantId = tenantOf(call);
    const found = file && (await findStagedFile(database, tenantId, file, clock()));
    if (!found) throw new ServiceError('NOT_FOUND');
    return found;
  };
}
