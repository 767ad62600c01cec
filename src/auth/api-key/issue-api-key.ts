import type {
  IssueApiKeyRequest,
  IssueApiKeyResponse,
} from '../../../proto/gen/authservice/apikey/v1/api_key_service.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/db/ids.ts';
import type { FindManagedAccount } from '../identity/users/administrator.ts';
import { futureTime } from '../../platform/rpc/request-violations.ts';
import { loadThenCheckReferences } from '../../platform/rpc/service.ts';
import { apiKeyMessage } from './api-key-message.ts';
import type { ApiKey, ApiKeyStore } from './api-key-store.ts';
import { generateApiKey } from './key-format.ts';
import { assertServiceAccount, createFindAccount } from './service-account.ts';

export interface IssueApiKeyDependencies {
  readonly keys: Pick<ApiKeyStore, 'insert'>;
  readonly findManagedAccount: FindManagedAccount;
  readonly audit: AuditLog;
  readonly clock: Clock;
}

/** ApiKeyService.IssueApiKey: creates a key, stores its hash, and returns the key this one time. */
export function createIssueApiKey({ keys, findManagedAccount, audit, clock }: IssueApiKeyDependencies) {
  return loadThenCheckReferences(
    createFindAccount(findManagedAccount),
    async ({ label, expiresAt }: IssueApiKeyRequest, call, account, violations): Promise<IssueApiKeyResponse> => {
      const now = clock();
      const endsAt = futureTime(violations, 'expiresAt', expiresAt, now);
      violations.assertNone();
      assertServiceAccount(account);

      const { key: apiKey, hash, prefix } = generateApiKey();
      const { id: accountId, tenantId, username } = account;
      const actorId = call.principal!.account.id;
      const key: ApiKey = {
        id: newId(),
        tenantId,
        accountId,
        label,
        prefix,
        createdAt: now,
        createdBy: actorId,
        expiresAt: endsAt,
        lastUsedAt: undefined,
      };
      await audit.commit(call, async (tx, record) => {
        await keys.insert(tx, key, hash, call.deadline);
        const details = { keyId: key.id, label };
        record({ event: 'api-key.issued', tenantId, accountId, username, actorId, details });
      });
      return { keyId: key.id, apiKey, label, key: apiKeyMessage(key) };
    },
  );
}
