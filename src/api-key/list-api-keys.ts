import type { ListApiKeysRequest, ListApiKeysResponse } from '../../proto/gen/authservice/apikey/v1/api_key_service.ts';
import type { FindManagedAccount } from '../identity/users/administrator.ts';
import { pageInfo, pageOf } from '../rpc/paging.ts';
import { loadThenHandle } from '../rpc/service.ts';
import { apiKeyMessage } from './api-key-message.ts';
import type { ApiKeyStore } from './api-key-store.ts';
import { createFindAccount, assertServiceAccount } from './service-account.ts';

export interface ListApiKeysDependencies {
  readonly keys: Pick<ApiKeyStore, 'list'>;
  readonly findManagedAccount: FindManagedAccount;
}

/** ApiKeyService.ListApiKeys: lists an account's unrevoked keys. */
export function createListApiKeys({ keys, findManagedAccount }: ListApiKeysDependencies) {
  return loadThenHandle(
    createFindAccount(findManagedAccount),
    async (request: ListApiKeysRequest, _call, account): Promise<ListApiKeysResponse> => {
      const page = pageOf(request.page);
      assertServiceAccount(account);
      const found = await keys.list({ tenantId: account.tenantId, accountId: account.id }, page);
      return { keys: found.keys.map(apiKeyMessage), page: pageInfo(page, found.total) };
    },
  );
}
