import type { IssueApiKeyRequest, IssueApiKeyResponse } from '../../proto/gen/api_key/v1/api_key_service.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Clock } from '../clock.ts';
import { newId } from '../db/ids.ts';
import { ServiceError, type Violation } from '../errors.ts';
import type { FindManagedAccount } from '../identity/administrator.ts';
import { recordFirst } from '../rpc/service.ts';
import { apiKeyMessage } from './api-key-message.ts';
import type { ApiKey, ApiKeyStore } from './api-key-store.ts';
import { generateApiKey } from './key-format.ts';
import { createFindAccount, demandServiceAccount } from './service-account.ts';

export interface IssueApiKeyDependencies {
  readonly keys: Pick<ApiKeyStore, 'insert'>;
  readonly findManagedAccount: FindManagedAccount;
  readonly audit: AuditLog;
  readonly clock: Clock;
}

const MAX_LABEL_CHARACTERS = 100;
/** The last year that ISO 8601 writes with four digits. */
const MAX_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/** ApiKeyService.IssueApiKey: makes a key, keeps its hash, and shows it this once. */
export function createIssueApiKey({ keys, findManagedAccount, audit, clock }: IssueApiKeyDependencies) {
  return recordFirst(
    createFindAccount(findManagedAccount),
    async ({ label, expiresAt }: IssueApiKeyRequest, call, account): Promise<IssueApiKeyResponse> => {
      const now = clock();
      const violations = violationsOf(label, expiresAt?.getTime(), now);
      if (violations.length > 0) throw new ServiceError('VALIDATION_ERROR', { violations });
      demandServiceAccount(account);

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
        expiresAt: expiresAt?.getTime(),
        lastUsedAt: undefined,
      };
      await audit.commit(call, async (tx, record) => {
        await keys.insert(tx, key, hash, call.deadline);
        const details = { keyId: key.id, label };
        record({ event: 'api-key.issued', tenantId, accountId, username, actorId, details });
      });
      return { key: apiKeyMessage(key), apiKey };
    },
  );
}

function violationsOf(label: string, expiresAt: number | undefined, now: number): Violation[] {
  const violations: Violation[] = [];
  if ([...label].length > MAX_LABEL_CHARACTERS || label.trim() === '') {
    violations.push({
      message: `must have 1 to ${MAX_LABEL_CHARACTERS} characters, not all of them blank`,
      format: 'length',
      props: ['label'],
      params: { minimum: 1, maximum: MAX_LABEL_CHARACTERS },
    });
  }
  if (expiresAt !== undefined && !(expiresAt > now && expiresAt <= MAX_TIME)) {
    violations.push({ message: 'must be in the future', format: 'future', props: ['expiresAt'] });
  }
  return violations;
}
