// The RPCs on the client secrets of applications.
import type {
  CreateApplicationSecretRequest,
  CreateApplicationSecretResponse,
  ExpireApplicationSecretRequest,
  ExpireApplicationSecretResponse,
  ListApplicationSecretsRequest,
  ListApplicationSecretsResponse,
} from '../../../../proto/gen/authservice/oauth/v1/application_service.ts';
import { listPageInfo, listPageOf, SHORT_LIST, sliceOf } from '../../../platform/rpc/paging.ts';
import { futureTime } from '../../../platform/rpc/request-violations.ts';
import { loadThenCheckReferences, loadThenHandle } from '../../../platform/rpc/service.ts';
import {
  APPLICATION_SECRETS,
  assertRoomForSecret,
  clientSecretMessage,
  expireSecret,
  findSecret,
  issueSecret,
  selectLiveSecrets,
} from '../../client-credentials/secrets.ts';
import type { Call } from '../../access/principal.ts';
import { hasSecrets, type Application } from './application.ts';
import type { ApplicationDependencies } from './applications.ts';
import { createChangeApplication, createFindApplication, createFindToChange } from './change-application.ts';
import { refusal } from '../../access/refusals.ts';

/** The RPCs of ApplicationService on client secrets. */
export function applicationSecretHandlers(dependencies: ApplicationDependencies) {
  const { database, clock } = dependencies;
  const find = createFindApplication(dependencies);
  const findToChange = createFindToChange(dependencies);
  const { change } = createChangeApplication(dependencies);
  const selectSecrets = (application: Application) =>
    selectLiveSecrets(database, APPLICATION_SECRETS, application, clock());

  return {
    listApplicationSecrets: loadThenHandle(
      find,
      async (request: ListApplicationSecretsRequest, call, application): Promise<ListApplicationSecretsResponse> => {
        const page = listPageOf(request, call, SHORT_LIST);
        const shown = sliceOf(await selectSecrets(application), page);
        return { secrets: shown.items.map(clientSecretMessage), page: listPageInfo(page, shown) };
      },
    ),

    createApplicationSecret: loadThenCheckReferences(
      findToChange,
      async (
        request: CreateApplicationSecretRequest,
        call,
        application,
        violations,
      ): Promise<CreateApplicationSecretResponse> => {
        const expiresAt = futureTime(violations, 'expiresAt', request.expiresAt, clock());
        violations.assertNone();
        const issued = await change(call, application, undefined, async ({ tx, application: current, record }) => {
          if (!hasSecrets(current)) throw refusal('applicationWithoutSecret');
          const now = clock();
          await assertRoomForSecret(tx, APPLICATION_SECRETS, current, now);
          const created = await issueSecret(tx, APPLICATION_SECRETS, current, { createdAt: now, expiresAt });
          record('client-secret.created', { secretId: created.secret.id });
          return created;
        });
        return { secret: clientSecretMessage(issued.secret), clientSecret: issued.value };
      },
    ),

    /** Throws NOT_FOUND if the secret has already expired. */
    expireApplicationSecret: loadThenCheckReferences(
      async (request: ExpireApplicationSecretRequest, call: Call) => {
        const application = await findToChange(request, call);
        return { application, secret: findSecret(await selectSecrets(application), request.secretId) };
      },
      async (request, call, { application, secret }, violations): Promise<ExpireApplicationSecretResponse> => {
        const requested = futureTime(violations, 'expiresAt', request.expiresAt, clock());
        violations.assertNone();
        const expiresAt = requested ?? clock();
        await change(call, application, undefined, async ({ tx, application: current, record }) => {
          await expireSecret(tx, APPLICATION_SECRETS, current, { id: secret.id, expiresAt, now: clock() });
          record('client-secret.expiry-set', { secretId: secret.id, expiresAt: new Date(expiresAt).toISOString() });
        });
        return { secret: clientSecretMessage({ ...secret, expiresAt }) };
      },
    ),
  };
}
