import type {
  ApiKey as ApiKeyMessage,
  IssueApiKeyRequest,
  IssueApiKeyResponse,
  ListApiKeysRequest,
  ListApiKeysResponse,
  RevokeApiKeyRequest,
  RevokeApiKeyResponse,
} from '../../../proto/gen/authservice/apikey/v1/api_key_service.ts';
import type { Clock } from '../../platform/clock.ts';
import { isId, newId } from '../../platform/db/ids.ts';
import type { Complete } from '../../platform/db/record.ts';
import { ServiceError } from '../../platform/errors.ts';
import { listPageInfo, listPageOf } from '../../platform/rpc/paging.ts';
import { futureTime } from '../../platform/rpc/request-violations.ts';
import { loadThenCheckReferences, loadThenHandle } from '../../platform/rpc/service.ts';
import type { Call } from '../access/principal.ts';
import { API_KEY, API_KEY_ORDER, type ApiKey, type ApiKeyStore } from './api-key-store.ts';
import { generateApiKey } from './key-format.ts';
import type { AuditLog } from '../audit/trail/audit-log.ts';
import type { AccountAdministration } from '../identity/users/account-administration.ts';
import { assertCredentialsUsable } from '../identity/users/account-input.ts';
import type { FindManagedAccount } from '../identity/users/administrator.ts';
import type { Account } from '../access/account.ts';
import { refusal } from '../access/refusals.ts';

export interface ApiKeyDependencies {
  readonly keys: Pick<ApiKeyStore, 'insert' | 'list' | 'revoke'>;
  readonly findManagedAccount: FindManagedAccount;
  readonly administration: Pick<AccountAdministration, 'lockForChange'>;
  readonly audit: AuditLog;
  readonly clock: Clock;
  /** Whether API keys are accepted: `app.security.api-key.enabled`. */
  readonly enabled: boolean;
  /** Whether service accounts must belong to a tenant. */
  readonly tenantRequired: boolean;
}

/** The RPCs of ApiKeyService. */
export function apiKeyHandlers(options: ApiKeyDependencies) {
  const { keys, findManagedAccount, administration, audit, clock, enabled, tenantRequired } = options;
  /** Finds the account of a request within the caller's scope. Throws NOT_FOUND. */
  const findAccount = async ({ serviceAccountId }: { readonly serviceAccountId: string }, call: Call) =>
    (await findManagedAccount(call.principal!, serviceAccountId)).account;

  return {
    /** Creates a key, stores its hash, and returns the key this one time. Throws CONFLICT if the service would refuse it. */
    issueApiKey: loadThenCheckReferences(
      findAccount,
      async ({ label, expiresAt }: IssueApiKeyRequest, call, account, violations): Promise<IssueApiKeyResponse> => {
        const now = clock();
        const endsAt = futureTime(violations, 'expiresAt', expiresAt, now);
        violations.assertNone();
        assertServiceAccount(account);
        if (!enabled) throw refusal('apiKeysOff');
        assertCredentialsUsable(account, tenantRequired);

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
          await administration.lockForChange(tx, call, account);
          await keys.insert(tx, key, hash, call.deadline);
          const details = { keyId: key.id, label };
          record({ event: 'api-key.issued', tenantId, accountId, username, actorId, details });
        });
        return { keyId: key.id, apiKey, label, key: apiKeyMessage(key) };
      },
    ),

    /** Lists an account's unrevoked keys. */
    listApiKeys: loadThenHandle(
      findAccount,
      async (request: ListApiKeysRequest, call, account): Promise<ListApiKeysResponse> => {
        const page = listPageOf(request, call, API_KEY_ORDER);
        assertServiceAccount(account);
        const found = await keys.list({ tenantId: account.tenantId, accountId: account.id }, page);
        return { keys: found.items.map(apiKeyMessage), page: listPageInfo(page, found) };
      },
    ),

    /** The key stops working at once. Throws NOT_FOUND if it is already revoked. */
    revokeApiKey: loadThenHandle(
      findAccount,
      async ({ keyId }: RevokeApiKeyRequest, call, account): Promise<RevokeApiKeyResponse> => {
        assertServiceAccount(account);
        const { id: accountId, tenantId, username } = account;
        const actorId = call.principal!.account.id;
        if (!isId(keyId)) throw new ServiceError('NOT_FOUND');
        await audit.commit(call, async (tx, record) => {
          await administration.lockForChange(tx, call, account);
          const label = await keys.revoke(tx, { tenantId, accountId, id: keyId }, clock(), call.deadline);
          if (label === undefined) throw new ServiceError('NOT_FOUND');
          record({ event: 'api-key.revoked', tenantId, accountId, username, actorId, details: { keyId, label } });
        });
        return {};
      },
    ),
  };
}

/** Converts a key to its proto message. */
function apiKeyMessage(key: ApiKey): ApiKeyMessage {
  const { id: keyId, tenantId: _tenantId, accountId: _accountId, ...message } = API_KEY.toMessage(key);
  return { keyId, ...message } satisfies Complete<ApiKeyMessage>;
}

/** Throws PRINCIPAL_NOT_ELIGIBLE for a user: only service accounts may hold keys. */
function assertServiceAccount(account: Account): void {
  if (account.interactive) throw refusal('apiKeyOfUser');
}
