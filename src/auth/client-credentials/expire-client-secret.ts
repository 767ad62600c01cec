import type {
  ExpireClientSecretRequest,
  ExpireClientSecretResponse,
} from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { isId } from '../../platform/db/ids.ts';
import { ServiceError } from '../../platform/errors.ts';
import { futureTime } from '../../platform/rpc/request-violations.ts';
import { loadThenCheckReferences } from '../../platform/rpc/service.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { type LiveSecret, selectLiveSecrets } from './client-secret-list-store.ts';
import { setClientSecretEnd } from './client-secret-store.ts';
import type { ServiceAccountDependencies } from './service-account-dependencies.ts';
import { clientSecretMessage } from './service-account-message.ts';

/** ClientCredentialsService.ExpireClientSecret. Throws NOT_FOUND if the secret has already expired. */
export function createExpireClientSecret(options: ServiceAccountDependencies) {
  const { database, administration, clock } = options;

  return loadThenCheckReferences(
    async ({ serviceAccountId, secretId }: ExpireClientSecretRequest, call: Call) => {
      const account = await administration.findServiceAccount(call.principal!, serviceAccountId);
      return { account, secret: find(await selectLiveSecrets(database, account, clock()), secretId) };
    },
    async ({ secretId, ...request }, call, { account, secret }, violations): Promise<ExpireClientSecretResponse> => {
      const requested = futureTime(violations, 'expiresAt', request.expiresAt, clock());
      violations.assertNone();

      const expiresAt = requested ?? clock();
      await administration.change(call, account, async ({ tx, now, record }) => {
        const address = { tenantId: account.tenantId, accountId: account.id, id: secretId };
        if (!(await setClientSecretEnd(tx, address, expiresAt, now))) throw new ServiceError('NOT_FOUND');
        record('client-secret.expiry-set', { secretId, expiresAt: new Date(expiresAt).toISOString() });
      });
      return { secret: clientSecretMessage({ ...secret, expiresAt }) };
    },
  );
}

function find(secrets: readonly LiveSecret[], id: string): LiveSecret {
  const secret = isId(id) ? secrets.find((live) => live.id === id) : undefined;
  if (!secret) throw new ServiceError('NOT_FOUND');
  return secret;
}
