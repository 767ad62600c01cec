// Machine clients: service accounts, their secrets and their API keys.
import { ApiKeyServiceService } from '../../../proto/gen/authservice/apikey/v1/api_key_service.ts';
import { ClientCredentialsServiceService } from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { elsewhere, hidden, line, nothing, open, own } from '../line.ts';
import type { RestLines } from '../rest-request.ts';
import { rpcLines } from '../rpc-line.ts';

const LABEL = { label: 'Isolation' };

export const API_KEY_ROUTES: RestLines = {
  'POST /service-accounts/{id}/api-keys': line(
    hidden(({ serviceAccount }) => ({ path: { id: serviceAccount }, body: LABEL })),
  ),
  'GET /service-accounts/{id}/api-keys': line(hidden(({ serviceAccount }) => ({ path: { id: serviceAccount } }))),
  'DELETE /service-accounts/{id}/api-keys/{keyId}': line(
    hidden(({ serviceAccount, key }) => ({ path: { id: serviceAccount, keyId: key } })),
  ),
};

export const API_KEY_RPCS = rpcLines(ApiKeyServiceService, {
  issueApiKey: line(hidden(({ serviceAccount }) => ({ serviceAccountId: serviceAccount, ...LABEL }))),
  listApiKeys: line(hidden(({ serviceAccount }) => ({ serviceAccountId: serviceAccount }))),
  revokeApiKey: line(hidden(({ serviceAccount, key }) => ({ serviceAccountId: serviceAccount, keyId: key }))),
});

const NEW_CLIENT = { clientId: 'isolation', name: 'Isolation', roles: ['SALES'] };

export const CLIENT_RPCS = rpcLines(ClientCredentialsServiceService, {
  issueToken: open('takes a client id and a secret'),
  introspectToken: open('takes a client id and a secret'),
  revokeToken: open('takes a token'),
  createServiceAccount: line(elsewhere(({ tenant }) => ({ ...NEW_CLIENT, tenantId: tenant }))),
  getServiceAccount: line(hidden(({ serviceAccount }) => ({ serviceAccountId: serviceAccount }))),
  listServiceAccounts: line(
    own(({ tenant }) => ({ page: { page: 1, perPage: 100 }, tenantId: tenant })),
    nothing(({ mark }) => ({ query: mark })),
  ),
  disableServiceAccount: line(hidden(({ serviceAccount }) => ({ serviceAccountId: serviceAccount }))),
  enableServiceAccount: line(hidden(({ serviceAccount }) => ({ serviceAccountId: serviceAccount }))),
  createClientSecret: line(hidden(({ serviceAccount }) => ({ serviceAccountId: serviceAccount }))),
  expireClientSecret: line(
    hidden(({ serviceAccount, secret }) => ({ serviceAccountId: serviceAccount, secretId: secret })),
  ),
});
