// Machine clients: OAuth 2.0 client credentials grants, introspection, revocation, and service accounts.
// Decides: whether a client's secret is right, what its token may, and whether a token is active for its asker.
// States: a service account is enabled, disabled or deleted. A secret is valid until it is set to expire.
// Tables: application_secrets, client_secrets.
// Routes: /auth/{token, introspect, revoke}, /service-accounts, /service-accounts/:id, /service-accounts/:id/{enable, disable, secrets,
// secrets/:secretId/expire}.
import { ClientCredentialsServiceService } from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { implement, type Service } from '../../platform/rpc/service.ts';
import type { Principal } from '../access/principal.ts';
import { serviceAccountHandlers, type ServiceAccountDependencies } from './service-accounts.ts';
import { createIntrospectToken, type IntrospectTokenDependencies } from './introspect-token.ts';
import { createIssueToken, type IssueTokenDependencies } from './issue-token.ts';
import { createRevokeToken, type RevokeTokenDependencies } from './revoke-token.ts';

type ClientCredentialsDependencies = IssueTokenDependencies &
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
      ...serviceAccountHandlers(dependencies),
    },
    { unavailable: 'AUTHENTICATION_SERVICE_UNAVAILABLE' },
  );
}
