// Cases of machine clients: service accounts, client secrets and API keys.
import { ApiKeyServiceService } from '../../../proto/gen/authservice/apikey/v1/api_key_service.ts';
import { ClientCredentialsServiceService } from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { elsewhere, hidden, probes, nothing, notApplicable, own, type RestCases, rpcCases } from '../probe-case.ts';

const LABEL = { label: 'Isolation' };

export const API_KEY_ROUTES: RestCases = {
  'POST /service-accounts/{id}/api-keys': probes(
    hidden(({ serviceAccount }) => ({ path: { id: serviceAccount }, body: LABEL })),
  ),
  'GET /service-accounts/{id}/api-keys': probes(hidden(({ serviceAccount }) => ({ path: { id: serviceAccount } }))),
  'DELETE /service-accounts/{id}/api-keys/{keyId}': probes(
    hidden(({ serviceAccount, key }) => ({ path: { id: serviceAccount, keyId: key } })),
  ),
};

export const API_KEY_RPCS = rpcCases(ApiKeyServiceService, {
  issueApiKey: probes(hidden(({ serviceAccount }) => ({ serviceAccountId: serviceAccount, ...LABEL }))),
  listApiKeys: probes(hidden(({ serviceAccount }) => ({ serviceAccountId: serviceAccount }))),
  revokeApiKey: probes(hidden(({ serviceAccount, key }) => ({ serviceAccountId: serviceAccount, keyId: key }))),
});

const NEW_CLIENT = { clientId: 'isolation', name: 'Isolation', roles: ['SALES'] };

const ofClient = probes<{ path: { id: string } }>(hidden(({ serviceAccount }) => ({ path: { id: serviceAccount } })));

export const CLIENT_ROUTES: RestCases = {
  'GET /service-accounts': probes(
    own(() => ({ query: { perPage: '100' } })),
    elsewhere(({ tenant }) => ({ query: { tenantId: tenant } })),
    nothing(({ mark }) => ({ query: { query: mark } })),
  ),
  'POST /service-accounts': probes(elsewhere(({ tenant }) => ({ body: { ...NEW_CLIENT, tenantId: tenant } }))),
  'GET /service-accounts/{id}': ofClient,
  'POST /service-accounts/{id}/enable': ofClient,
  'POST /service-accounts/{id}/disable': ofClient,
  'GET /service-accounts/{id}/secrets': ofClient,
  'POST /service-accounts/{id}/secrets': probes(
    hidden(({ serviceAccount }) => ({ path: { id: serviceAccount }, body: {} })),
  ),
  'POST /service-accounts/{id}/secrets/{secretId}/expire': probes(
    hidden(({ serviceAccount, secret }) => ({ path: { id: serviceAccount, secretId: secret }, body: {} })),
  ),
};

export const CLIENT_RPCS = rpcCases(ClientCredentialsServiceService, {
  issueToken: notApplicable('takes a client id and a secret'),
  introspectToken: notApplicable('takes a client id and a secret'),
  revokeToken: notApplicable('takes a token'),
  createServiceAccount: probes(elsewhere(({ tenant }) => ({ ...NEW_CLIENT, tenantId: tenant }))),
  getServiceAccount: probes(hidden(({ serviceAccount }) => ({ serviceAccountId: serviceAccount }))),
  listServiceAccounts: probes(
    own(() => ({ page: { page: 1, perPage: 100 } })),
    elsewhere(({ tenant }) => ({ tenantId: tenant })),
    nothing(({ mark }) => ({ query: mark })),
  ),
  disableServiceAccount: probes(hidden(({ serviceAccount }) => ({ serviceAccountId: serviceAccount }))),
  enableServiceAccount: probes(hidden(({ serviceAccount }) => ({ serviceAccountId: serviceAccount }))),
  listClientSecrets: probes(hidden(({ serviceAccount }) => ({ serviceAccountId: serviceAccount }))),
  createClientSecret: probes(hidden(({ serviceAccount }) => ({ serviceAccountId: serviceAccount }))),
  expireClientSecret: probes(
    hidden(({ serviceAccount, secret }) => ({ serviceAccountId: serviceAccount, secretId: secret })),
  ),
});
