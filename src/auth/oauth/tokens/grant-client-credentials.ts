// The grant client_credentials at the token endpoint of applications. Only service accounts have it.
import type {
  ExchangeTokenRequest,
  ExchangeTokenResponse,
} from '../../../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { Call } from '../../access/principal.ts';
import { clientCredentialsOf, type IssueServiceToken } from '../../client-credentials/issue-token.ts';
import type { ClientAuthentications } from './client-authentication.ts';

export interface GrantClientCredentialsDependencies extends Pick<
  ClientAuthentications,
  'authenticateAny' | 'findPublicApplication'
> {
  readonly issueServiceToken: IssueServiceToken;
}

/** Checks the form of a request as ClientCredentialsService.IssueToken does. Rejects with UNAUTHORIZED_CLIENT for an application. */
export function createGrantClientCredentials(options: GrantClientCredentialsDependencies) {
  const { authenticateAny, findPublicApplication, issueServiceToken } = options;

  return async (request: ExchangeTokenRequest, call: Call): Promise<ExchangeTokenResponse> => {
    const { basic, clientId, clientSecret, clientAssertion } = request;
    if (!clientAssertion) {
      const name = basic?.clientSecret || clientSecret ? undefined : basic?.clientId || clientId;
      if (name && (await findPublicApplication(name))) throw unauthorized();
      clientCredentialsOf(request);
    }
    const client = await authenticateAny(request, call, { endpoint: 'token', limit: 'grant' });
    if (client.kind === 'application') throw unauthorized();
    return issueServiceToken(client.account);
  };
}

const unauthorized = () =>
  new ServiceError('UNAUTHORIZED_CLIENT', { detail: 'an application does not have the grant client_credentials' });
