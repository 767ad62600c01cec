// Cases of machine clients: service accounts, client secrets and API keys.
import { ApiKeyServiceService } from '../../../proto/gen/authservice/apikey/v1/api_key_service.ts';
import { ClientCredentialsServiceService } from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { elsewhere, hidden, probes, nothing, notApplicable, own, rpcCases, WHOLE_PAGE } from '../probe-case.ts';

const OF_CLIENT = probes<{ serviceAccountId: string }>(
  hidden(({ serviceAccount }) => ({ serviceAccountId: serviceAccount })),
);

export const API_KEY_RPCS = rpcCases(ApiKeyServiceService, {
  issueApiKey: probes(hidden(({ serviceAccount }) => ({ serviceAccountId: serviceAccount, label: 'Isolation' }))),
  listApiKeys: OF_CLIENT,
  revokeApiKey: probes(hidden(({ serviceAccount, key }) => ({ serviceAccountId: serviceAccount, keyId: key }))),
});

const NEW_CLIENT = { clientId: 'isolation', name: 'Isolation', roles: ['SALES'] };

export const CLIENT_RPCS = rpcCases(ClientCredentialsServiceService, {
  issueToken: notApplicable('takes a client id and a secret'),
  introspectToken: notApplicable('takes a client id and a secret'),
  revokeToken: notApplicable('takes a token'),
  createServiceAccount: probes(elsewhere(({ tenant }) => ({ ...NEW_CLIENT, tenantId: tenant }))),
  getServiceAccount: OF_CLIENT,
  listServiceAccounts: probes(
    own(() => WHOLE_PAGE),
    elsewhere(({ tenant }) => ({ tenantId: tenant })),
    nothing(({ mark }) => ({ query: mark })),
  ),
  updateServiceAccount: probes(
    hidden(({ serviceAccount }) => ({
      serviceAccountId: serviceAccount,
      serviceAccount: { resourceServer: true },
      updateMask: ['resource_server'],
    })),
  ),
  disableServiceAccount: OF_CLIENT,
  enableServiceAccount: OF_CLIENT,
  listClientSecrets: OF_CLIENT,
  createClientSecret: OF_CLIENT,
  expireClientSecret: probes(
    hidden(({ serviceAccount, secret }) => ({ serviceAccountId: serviceAccount, secretId: secret })),
  ),
});
