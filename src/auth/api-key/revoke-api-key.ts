import type {
  RevokeApiKeyRequest,
  RevokeApiKeyResponse,
} from '../../../proto/gen/authservice/apikey/v1/api_key_service.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Clock } from '../../platform/clock.ts';
import { isId } from '../../platform/db/ids.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { FindManagedAccount } from '../identity/users/administrator.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import type { ApiKeyStore } from './api-key-store.ts';
import { createFindAccount, assertServiceAccount } from './service-account.ts';

export interface RevokeApiKeyDependencies {
  readonly keys: Pick<ApiKeyStore, 'revoke'>;
  readonly findManagedAccount: FindManagedAccount;
  readonly audit: AuditLog;
  readonly clock: Clock;
}

/** ApiKeyService.RevokeApiKey: the key stops working at once. Throws NOT_FOUND if it is already revoked. */
export function createRevokeApiKey({ keys, findManagedAccount, audit, clock }: RevokeApiKeyDependencies) {
  return loadThenHandle(
    createFindAccount(findManagedAccount),
    async ({ keyId }: RevokeApiKeyRequest, call, account): Promise<RevokeApiKeyResponse> => {
      assertServiceAccount(account);
      const { id: accountId, tenantId, username } = account;
      const actorId = call.principal!.account.id;
      if (!isId(keyId)) throw new ServiceError('NOT_FOUND');
      await audit.commit(call, async (tx, record) => {
        const label = await keys.revoke(tx, { tenantId, accountId, id: keyId }, clock(), call.deadline);
        if (label === undefined) throw new ServiceError('NOT_FOUND');
        record({ event: 'api-key.revoked', tenantId, accountId, username, actorId, details: { keyId, label } });
      });
      return {};
    },
  );
}
