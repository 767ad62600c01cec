// The RPCs of ApplicationService on logout tokens.
import type {
  ListApplicationDeliveriesRequest,
  ListApplicationDeliveriesResponse,
  RetryApplicationDeliveryRequest,
  RetryApplicationDeliveryResponse,
} from '../../../../proto/gen/authservice/oauth/v1/application_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import { isId } from '../../../platform/db/ids.ts';
import type { Database } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { listPageInfo, listPageOf } from '../../../platform/rpc/paging.ts';
import { loadThenHandle } from '../../../platform/rpc/service.ts';
import type { Call } from '../../access/principal.ts';
import { getAdminScope } from '../../identity/users/administrator.ts';
import { DELIVERY_STATUS, deliveryMessage } from '../../webhook/administration/messages.ts';
import { DELIVERY_ORDER, findDelivery, restartDelivery, selectDeliveries } from '../../webhook/delivery-store.ts';
import { resumeQueue } from '../../webhook/queue-store.ts';
import type { Application } from '../applications/application.ts';

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
      throw new ServiceError('PERMISSION_DENIED', { detail: 'the application is for all tenants' });
    return application;
  }

  return {
    listApplicationDeliveries: loadThenHandle(
      find,
      async (
        request: ListApplicationDeliveriesRequest,
        call,
        application,
      ): Promise<ListApplicationDeliveriesResponse> => {
        const page = listPageOf(request, call, DELIVERY_ORDER);
        const found = await selectDeliveries(database, application, DELIVERY_STATUS.nameOf(request.status), page);
        return { deliveries: found.items.map(deliveryMessage), page: listPageInfo(page, found) };
      },
    ),

    retryApplicationDelivery: loadThenHandle(
      async (request: RetryApplicationDeliveryRequest, call: Call) => {
        const application = await find(request, call);
        const { deliveryId } = request;
        const delivery = isId(deliveryId) ? await findDelivery(database, application, deliveryId) : undefined;
        if (delivery === undefined) throw new ServiceError('NOT_FOUND');
        return { application, delivery };
      },
      async (_request, call, { application, delivery }): Promise<RetryApplicationDeliveryResponse> => {
        if (application.backchannelLogoutUri === undefined)
          throw new ServiceError('CONFLICT', {
            publicMessage: 'The application has no backchannelLogoutUri; set it first',
          });
        const restarted = await database.transaction(call.deadline, async (tx) => {
          await call.recheck(tx);
          const now = clock();
          // First, as the job of deliveries does.
          await resumeQueue(tx, application, now);
          await restartDelivery(tx, application, delivery.id, now);
          return findDelivery(tx, application, delivery.id);
        });
        if (restarted === undefined) throw new ServiceError('NOT_FOUND');
        return { delivery: deliveryMessage(restarted) };
      },
    ),
  };
}
