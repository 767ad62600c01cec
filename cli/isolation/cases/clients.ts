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

const ofClient = line<{ path: { id: string } }>(hidden(({ serviceAccount }) => ({ path: { id: serviceAccount } })));

export const CLIENT_ROUTES: RestLines = {
  'GET /service-accounts': line(
    own(() => ({ query: { perPage: '100' } })),
    elsewhere(({ tenant }) => ({ query: { tenantId: tenant } })),
    nothing(({ mark }) => ({ query: { query: mark } })),
  ),
  'POST /service-accounts': line(elsewhere(({ tenant }) => ({ body: { ...NEW_CLIENT, tenantId: tenant } }))),
  'GET /service-accounts/{id}': ofClient,
  'POST /service-accounts/{id}/enable': ofClient,
  'POST /service-accounts/{id}/disable': ofClient,
  'GET /service-accounts/{id}/secrets': ofClient,
  'POST /service-accounts/{id}/secrets': line(
    hidden(({ serviceAccount }) => ({ path: { id: serviceAccount }, body: {} })),
  ),
  'POST /service-accounts/{id}/secrets/{secretId}/expire': line(
    hidden(({ serviceAccount, secret }) => ({ path: { id: serviceAccount, secretId: secret }, body: {} })),
  ),
};

export const CLIENT_RPCS = rpcLines(ClientCredentialsServiceService, {
  issueToken: open('takes a client id and a secret'),
  introspectToken: open('takes a client id and a secret'),
  revokeToken: open('takes a token'),
  createServiceAccount: line(elsewhere(({ tenant }) => ({ ...NEW_CLIENT, tenantId: tenant }))),
  getServiceAccount: line(hidden(({ serviceAccount }) => ({ serviceAccountId: serviceAccount }))),
  listServiceAccounts: line(
    own(() => ({ page: { page: 1, perPage: 100 } })),
    elsewhere(({ tenant }) => ({ tenantId: tenant })),
    nothing(({ mark }) => ({ query: mark })),
  ),
  disableServiceAccount: line(hidden(({ serviceAccount }) => ({ serviceAccountId: serviceAccount }))),
  enableServiceAccount: line(hidden(({ serviceAccount }) => ({ serviceAccountId: serviceAccount }))),
  listClientSecrets: line(hidden(({ serviceAccount }) => ({ serviceAccountId: serviceAccount }))),
  createClientSecret: line(hidden(({ serviceAccount }) => ({ serviceAccountId: serviceAccount }))),
  expireClientSecret: line(
    hidden(({ serviceAccount, secret }) => ({ serviceAccountId: serviceAccount, secretId: secret })),
  ),
});
