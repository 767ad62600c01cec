// Examples of machine clients: service accounts, client secrets and API keys.
import { ApiKeyServiceService } from '../../../proto/gen/authservice/apikey/v1/api_key_service.ts';
import { ClientCredentialsServiceService } from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { examplesOf } from '../example.ts';
import { active, inactive, WHOLE_PAGE } from '../probe-case.ts';
import type { Records } from '../records.ts';

const ofClient = ({ serviceAccount }: Records) => ({ serviceAccountId: serviceAccount });
const ofToken = ({ token, clientId, clientSecret }: Records) => ({ token, clientId, clientSecret });

export const API_KEYS = examplesOf(ApiKeyServiceService, {
  issueApiKey: (records) => ({ ...ofClient(records), label: 'Isolation' }),
  listApiKeys: ofClient,
  revokeApiKey: (records) => ({ ...ofClient(records), keyId: records.key }),
});

export const CLIENTS = examplesOf(ClientCredentialsServiceService, {
  issueToken: {
    request: ({ clientId, clientSecret }) => ({ grantType: 'client_credentials', clientId, clientSecret }),
    notApplicable: 'takes a client id and a secret',
  },
  // A client sees the tokens of its own tenant only, unless a SUPER_ADMIN has made it a resource server.
  introspectToken: {
    request: ofToken,
    probes: [
      inactive(({ token }, { clientId, clientSecret }) => ({ token, clientId, clientSecret })),
      active((_named, own) => ofToken(own)),
    ],
  },
  revokeToken: { request: ofToken, notApplicable: 'takes a token' },
  createServiceAccount: ({ mark }) => ({ clientId: `new-${mark}`, name: 'Isolation', roles: ['SALES'] }),
  getServiceAccount: ofClient,
  listServiceAccounts: () => WHOLE_PAGE,
  updateServiceAccount: (records) => ({
    ...ofClient(records),
    serviceAccount: { resourceServer: true, roles: [] },
    updateMask: ['resource_server'],
  }),
  deleteServiceAccount: ofClient,
  disableServiceAccount: ofClient,
  enableServiceAccount: ofClient,
  listClientSecrets: ofClient,
  createClientSecret: ofClient,
  expireClientSecret: (records) => ({ ...ofClient(records), secretId: records.secret }),
});
