import type {
  GetServiceAccountRequest,
  GetServiceAccountResponse,
  ServiceAccount,
} from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import type { Account } from '../principal/account.ts';
import { selectLiveSecrets } from './client-secret-list-store.ts';
import { onServiceAccount } from './managed-service-account.ts';
import type { ServiceAccountDependencies } from './service-account-dependencies.ts';
import { serviceAccountMessage } from './service-account-message.ts';

/** ClientCredentialsService.GetServiceAccount. */
export function createGetServiceAccount(options: ServiceAccountDependencies) {
  return onServiceAccount(
    options.administration,
    async (_request: GetServiceAccountRequest, _call, account): Promise<GetServiceAccountResponse> => ({
      serviceAccount: await withSecrets(options, account),
    }),
  );
}

/** An account with its live secrets. */
export async function withSecrets(
  { database, clock }: Pick<ServiceAccountDependencies, 'database' | 'clock'>,
  account: Account,
): Promise<ServiceAccount> {
  return serviceAccountMessage(account, await selectLiveSecrets(database, account, clock()));
}
