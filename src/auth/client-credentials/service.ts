// Machine clients: OAuth 2.0 client credentials grants, introspection, revocation, and service accounts.
import { ClientCredentialsServiceService } from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { implement, type Service } from '../../platform/rpc/service.ts';
import { createCreateClientSecret } from './create-client-secret.ts';
import { createCreateServiceAccount } from './create-service-account.ts';
import { createDisableServiceAccount } from './disable-service-account.ts';
import { createEnableServiceAccount } from './enable-service-account.ts';
import { createExpireClientSecret } from './expire-client-secret.ts';
import { createGetServiceAccount } from './get-service-account.ts';
import { createIntrospectToken, type IntrospectTokenDependencies } from './introspect-token.ts';
import { createIssueToken, type IssueTokenDependencies } from './issue-token.ts';
import { createListClientSecrets } from './list-client-secrets.ts';
import { createListServiceAccounts } from './list-service-accounts.ts';
import { createRevokeToken, type RevokeTokenDependencies } from './revoke-token.ts';
import type { ServiceAccountDependencies } from './service-account-dependencies.ts';

export type ClientCredentialsDependencies = IssueTokenDependencies &
  IntrospectTokenDependencies &
  RevokeTokenDependencies &
  ServiceAccountDependencies;

export function clientCredentialsService(dependencies: ClientCredentialsDependencies): Service {
  return implement(
    ClientCredentialsServiceService,
    {
      issueToken: createIssueToken(dependencies),
      introspectToken: createIntrospectToken(dependencies),
      revokeToken: createRevokeToken(dependencies),
      createServiceAccount: createCreateServiceAccount(dependencies),
      getServiceAccount: createGetServiceAccount(dependencies),
      listServiceAccounts: createListServiceAccounts(dependencies),
      disableServiceAccount: createDisableServiceAccount(dependencies),
      enableServiceAccount: createEnableServiceAccount(dependencies),
      listClientSecrets: createListClientSecrets(dependencies),
      createClientSecret: createCreateClientSecret(dependencies),
      expireClientSecret: createExpireClientSecret(dependencies),
    },
    { unavailable: 'AUTHENTICATION_SERVICE_UNAVAILABLE' },
  );
}
