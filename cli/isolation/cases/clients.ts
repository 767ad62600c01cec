// Cases of machine clients: service accounts, client secrets and API keys.
import { ApiKeyServiceService } from '../../../proto/gen/authservice/apikey/v1/api_key_service.ts';
import { ClientCredentialsServiceService } from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import {
  active,
  elsewhere,
  hidden,
  inactive,
  probes,
  nothing,
  notApplicable,
  own,
  type RestCases,
  type RestRequest,
  rpcCases,
  WHOLE_PAGE,
} from '../probe-case.ts';
import type { Records } from '../records.ts';

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
  introspectToken: probes(
    inactive(({ token }, { clientId, clientSecret }) => ({ token, clientId, clientSecret })),
    active((_named, { token, clientId, clientSecret }) => ({ token, clientId, clientSecret })),
  ),
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

const introspection = ({ token }: Pick<Records, 'token'>, { clientId, clientSecret }: Records): RestRequest => ({
  headers: {
    'content-type': 'application/x-www-form-urlencoded',
    authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
  },
  content: new TextEncoder().encode(new URLSearchParams({ token }).toString()),
});

/** A client sees the tokens of its own tenant only, unless a SUPER_ADMIN has made it a resource server. */
export const CLIENT_ROUTES: RestCases = {
  'POST /auth/introspect': probes(
    inactive(introspection),
    active((_named, records) => introspection(records, records)),
  ),
};
