import type {
  ListApiKeysRequest,
  ListApiKeysResponse,
} from '../../../proto/gen/authservice/apikey/v1/api_key_service.ts';
import type { FindManagedAccount } from '../identity/users/administrator.ts';
import { listPageInfo, listPageOf } from '../../platform/rpc/paging.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { apiKeyMessage } from './api-key-message.ts';
import { API_KEY_ORDER, type ApiKeyStore } from './api-key-store.ts';
import { createFindAccount, assertServiceAccount } from './service-account.ts';

export interface ListApiKeysDependencies {
  readonly keys: Pick<ApiKeyStore, 'list'>;
  readonly findManagedAccount: FindManagedAccount;
}

/** ApiKeyService.ListApiKeys: lists an account's unrevoked keys. */
export function createListApiKeys({ keys, findManagedAccount }: ListApiKeysDependencies) {
  return loadThenHandle(
    createFindAccount(findManagedAccount),
    async (request: ListApiKeysRequest, call, account): Promise<ListApiKeysResponse> => {
      const page = listPageOf(request, call, API_KEY_ORDER);
      assertServiceAccount(account);
      const found = await keys.list({ tenantId: account.tenantId, accountId: account.id }, page);
      return { keys: found.items.map(apiKeyMessage), page: listPageInfo(page, found) };
    },
  );
}
