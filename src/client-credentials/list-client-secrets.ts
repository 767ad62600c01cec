import type {
  ListClientSecretsRequest,
  ListClientSecretsResponse,
} from '../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { pageInfo, pageOf } from '../rpc/paging.ts';
import { selectLiveSecrets } from './client-secret-list-store.ts';
import { onServiceAccount } from './managed-service-account.ts';
import type { ServiceAccountDependencies } from './service-account-dependencies.ts';
import { clientSecretMessage } from './service-account-message.ts';

/** ClientCredentialsService.ListClientSecrets. */
export function createListClientSecrets({ database, administration, clock }: ServiceAccountDependencies) {
  return onServiceAccount(
    administration,
    async (request: ListClientSecretsRequest, _call, account): Promise<ListClientSecretsResponse> => {
      const page = pageOf(request.page);
      // A service account has very few secrets, so all are read.
      const live = await selectLiveSecrets(database, account, clock());
      const shown = live.slice(page.offset, page.offset + page.perPage);
      return { secrets: shown.map(clientSecretMessage), page: pageInfo(page, live.length) };
    },
  );
}
