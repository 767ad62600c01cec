import type {
  EnableServiceAccountRequest,
  EnableServiceAccountResponse,
} from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { withSecrets } from './get-service-account.ts';
import { onServiceAccount } from './managed-service-account.ts';
import type { ServiceAccountDependencies } from './service-account-dependencies.ts';

/** ClientCredentialsService.EnableServiceAccount. */
export function createEnableServiceAccount(options: ServiceAccountDependencies) {
  const { administration } = options;

  return onServiceAccount(
    administration,
    async (_request: EnableServiceAccountRequest, call, account): Promise<EnableServiceAccountResponse> => ({
      serviceAccount: await withSecrets(options, await administration.setDisabled(call, account, false)),
    }),
  );
}
