// The RPCs of ApplicationService on logout tokens.
import type {
  ListApplicationDeliveriesRequest,
  ListApplicationDeliveriesResponse,
  RetryApplicationDeliveryRequest,
  RetryApplicationDeliveryResponse,
} from '../../../../proto/gen/authservice/oauth/v1/application_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/types.ts';
import { loadThenHandle } from '../../../platform/rpc/service.ts';
import type { Call } from '../../access/principal.ts';
import { getDelivery, listDeliveries, resendDelivery } from '../../delivery/delivery-messages.ts';
import { getAdminScope } from '../../identity/users/administrator.ts';
import type { Application } from '../applications/application.ts';
import { refusal } from '../../access/refusals.ts';

export interface ApplicationDeliveryDependencies {
  readonly database: Database;
  /** Finds an application of the caller's scope, or for all tenants. Throws NOT_FOUND. */
  readonly findApplication: (request: { readonly applicationId: string }, call: Call) => Promise<Application>;
  readonly clock: Clock;
}

export function applicationDeliveryHandlers({ database, findApplication, clock }: ApplicationDeliveryDependencies) {
  /** The deliveries of an application for all tenants are about the sessions of all of them. */
  async function find(request: { readonly applicationId: string }, call: Call): Promise<Application> {
    const application = await findApplication(request, call);
    if (application.tenantId === undefined && !getAdminScope(call.principal!).everyTenant)
      throw refusal('applicationOfEveryTenant');
    return application;
  }

  return {
    listApplicationDeliveries: loadThenHandle(
      find,
      (request: ListApplicationDeliveriesRequest, call, application): Promise<ListApplicationDeliveriesResponse> =>
        listDeliveries(database, application, request, call),
    ),

    retryApplicationDelivery: loadThenHandle(
      async (request: RetryApplicationDeliveryRequest, call: Call) => {
        const application = await find(request, call);
        return { application, delivery: await getDelivery(database, application, request.deliveryId) };
      },
      async (_request, call, { application, delivery }): Promise<RetryApplicationDeliveryResponse> => {
        if (application.backchannelLogoutUri === undefined) throw refusal('logoutUriMissing');
        const restarted = await database.transaction(call.deadline, async (tx) => {
          await call.recheck(tx);
          return resendDelivery(tx, application, delivery.id, clock());
        });
        return { delivery: restarted };
      },
    ),
  };
}
