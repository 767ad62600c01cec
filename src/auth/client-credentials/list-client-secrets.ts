import type {
  ListClientSecretsRequest,
  ListClientSecretsResponse,
} from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { listPageInfo, listPageOf, SHORT_LIST, sliceOf } from '../../platform/rpc/paging.ts';
import { selectLiveSecrets } from './client-secret-list-store.ts';
import { onServiceAccount } from './managed-service-account.ts';
import type { ServiceAccountDependencies } from './service-account-dependencies.ts';
import { clientSecretMessage } from './service-account-message.ts';

/** ClientCredentialsService.ListClientSecrets. */
export function createListClientSecrets({ database, administration, clock }: ServiceAccountDependencies) {
  return onServiceAccount(
    administration,
    async (request: ListClientSecretsRequest, call, account): Promise<ListClientSecretsResponse> => {
      const page = listPageOf(request, call, SHORT_LIST);
      // A service account has very few secrets, so all are read.
      const shown = sliceOf(await selectLiveSecrets(database, account, clock()), page);
      return { secrets: shown.items.map(clientSecretMessage), page: listPageInfo(page, shown) };
    },
  );
}
