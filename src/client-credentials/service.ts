import { ClientCredentialsServiceService } from '../../proto/gen/client_credentials/v1/client_credentials_service.ts';
import { implement, type Service } from '../rpc/service.ts';
import { createIssueToken, type IssueTokenDependencies } from './issue-token.ts';

export type ClientCredentialsDependencies = IssueTokenDependencies;

export function clientCredentialsService(dependencies: ClientCredentialsDependencies): Service {
  return implement(
    ClientCredentialsServiceService,
    {
      issueToken: createIssueToken(dependencies),
    },
    { unavailable: 'AUTHENTICATION_SERVICE_UNAVAILABLE' },
  );
}
