import type {
  EnableServiceAccountRequest,
  EnableServiceAccountResponse,
} from '../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import type { Call } from '../rpc/types.ts';
import { withSecrets } from './get-service-account.ts';
import type { ServiceAccountDependencies } from './service-account-dependencies.ts';

/** ClientCredentialsService.EnableServiceAccount. */
export function createEnableServiceAccount(options: ServiceAccountDependencies) {
  const { administration } = options;

  return async (request: EnableServiceAccountRequest, call: Call): Promise<EnableServiceAccountResponse> => {
    const account = await administration.findServiceAccount(call.principal!, request.serviceAccountId);
    return { serviceAccount: await withSecrets(options, await administration.setDisabled(call, account, false)) };
  };
}
