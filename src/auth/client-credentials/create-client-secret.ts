import type {
  CreateClientSecretRequest,
  CreateClientSecretResponse,
} from '../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { ServiceError } from '../../platform/errors.ts';
import { futureTime } from '../../platform/rpc/request-violations.ts';
import { loadThenCheckReferences } from '../../platform/rpc/service.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { type IssuedSecret, addClientSecret } from './add-client-secret.ts';
import { selectLiveSecrets } from './client-secret-list-store.ts';
import type { ServiceAccountDependencies } from './service-account-dependencies.ts';
import { clientSecretMessage } from './service-account-message.ts';

const MAX_LIVE_SECRETS = 2;

/** ClientCredentialsService.CreateClientSecret. */
export function createCreateClientSecret(options: Pick<ServiceAccountDependencies, 'administration' | 'clock'>) {
  const { administration, clock } = options;

  return loadThenCheckReferences(
    ({ serviceAccountId }: CreateClientSecretRequest, call: Call) =>
      administration.findServiceAccount(call.principal!, serviceAccountId),
    async (request: CreateClientSecretRequest, call, account, violations): Promise<CreateClientSecretResponse> => {
      const expiresAt = futureTime(violations, 'expiresAt', request.expiresAt, clock());
      violations.assertNone();

      let issued!: IssuedSecret;
      // The account's row is locked, so that concurrent calls count one after the other.
      await administration.change(call, account, async (locked) => {
        const live = await selectLiveSecrets(locked.tx, account, locked.now);
        if (live.length >= MAX_LIVE_SECRETS) {
          throw new ServiceError('CONFLICT', { publicMessage: `${MAX_LIVE_SECRETS} live secrets exist` });
        }
        issued = await addClientSecret(locked, locked.now, expiresAt);
      });
      return { secret: clientSecretMessage(issued.secret), clientSecret: issued.value };
    },
  );
}
