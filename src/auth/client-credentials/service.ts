// Machine clients: OAuth 2.0 client credentials grants, introspection, revocation, and service accounts.
import { ClientCredentialsServiceService } from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { implement, type Service } from '../../platform/rpc/service.ts';
import type { Principal } from '../principal/principal.ts';
import {
  createCreateClientSecret,
  createCreateServiceAccount,
  createExpireClientSecret,
  createGetServiceAccount,
  createListClientSecrets,
  createListServiceAccounts,
  createSetServiceAccountDisabled,
  type ServiceAccountDependencies,
} from './service-accounts.ts';
import { createIntrospectToken, type IntrospectTokenDependencies } from './introspect-token.ts';
import { createIssueToken, type IssueTokenDependencies } from './issue-token.ts';
import { createRevokeToken, type RevokeTokenDependencies } from './revoke-token.ts';

export type ClientCredentialsDependencies = IssueTokenDependencies &
  IntrospectTokenDependencies &
  RevokeTokenDependencies &
  ServiceAccountDependencies;

export function clientCredentialsService(dependencies: ClientCredentialsDependencies): Service<Principal> {
  return implement(
    ClientCredentialsServiceService,
    {
      issueToken: createIssueToken(dependencies),
      introspectToken: createIntrospectToken(dependencies),
      revokeToken: createRevokeToken(dependencies),
      createServiceAccount: createCreateServiceAccount(dependencies),
      getServiceAccount: createGetServiceAccount(dependencies),
      listServiceAccounts: createListServiceAccounts(dependencies),
      disableServiceAccount: createSetServiceAccountDisabled(dependencies, true),
      enableServiceAccount: createSetServiceAccountDisabled(dependencies, false),
      listClientSecrets: createListClientSecrets(dependencies),
      createClientSecret: createCreateClientSecret(dependencies),
      expireClientSecret: createExpireClientSecret(dependencies),
    },
    { unavailable: 'AUTHENTICATION_SERVICE_UNAVAILABLE' },
  );
}
