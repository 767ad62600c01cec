import type {
  ListServiceAccountsRequest,
  ListServiceAccountsResponse,
} from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { narrowScope } from '../identity/users/administrator.ts';
import { ACCOUNT_ORDER } from '../identity/users/account-administration.ts';
import { listPageInfo, listPageOf } from '../../platform/rpc/paging.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { selectLiveSecretsOfAll } from './client-secret-list-store.ts';
import type { ServiceAccountDependencies } from './service-account-dependencies.ts';
import { serviceAccountMessage } from './service-account-message.ts';

/** ClientCredentialsService.ListServiceAccounts. */
export function createListServiceAccounts({ database, administration, clock }: ServiceAccountDependencies) {
  return async (request: ListServiceAccountsRequest, call: Call): Promise<ListServiceAccountsResponse> => {
    const page = listPageOf(request, call, ACCOUNT_ORDER);
    const scope = narrowScope(call.principal!, request.tenantId);
    const filter = { interactive: false, query: request.query, disabled: request.disabled };

    const found = await administration.list(scope, filter, page);
    const secrets = Map.groupBy(
      await selectLiveSecretsOfAll(database, found.items, clock()),
      ({ accountId }) => accountId,
    );
    const messages = found.items.map((account) => serviceAccountMessage(account, secrets.get(account.id) ?? []));
    return { serviceAccounts: messages, page: listPageInfo(page, found) };
  };
}
