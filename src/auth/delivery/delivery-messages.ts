// What the RPCs on deliveries of all kinds of receivers have in common.
import type { PageInfo } from '../../../proto/gen/authservice/paging/v1/paging.ts';
import {
  DeliveryStatus as DeliveryStatusMessage,
  type WebhookDelivery as DeliveryMessage,
} from '../../../proto/gen/authservice/webhook/v1/webhook_service.ts';
import { isId } from '../../platform/db/ids.ts';
import type { Database, Statements } from '../../platform/db/types.ts';
import { ServiceError } from '../../platform/errors.ts';
import { enumNames } from '../../platform/formats/enum-names.ts';
import { listPageInfo, listPageOf } from '../../platform/rpc/paging.ts';
import { parseAttempts, type LoggedAttempt } from './attempts-log.ts';
import {
  DELIVERY_ORDER,
  findDelivery,
  selectAttemptsLog,
  selectDeliveries,
  type Delivery,
} from './delivery-list-store.ts';
import { restartDelivery } from './delivery-store.ts';
import { resumeQueue } from './queue-store.ts';
import type { ReceiverAddress } from './receiver.ts';

const DELIVERY_STATUS = enumNames(DeliveryStatusMessage, 'DELIVERY_STATUS_');

type ListRequest = Parameters<typeof listPageOf>[0] & { readonly status: DeliveryStatusMessage };

/** Returns the page of a receiver's deliveries that a request asks for. */
export async function listDeliveries(
  database: Database,
  receiver: ReceiverAddress,
  request: ListRequest,
  call: Parameters<typeof listPageOf>[1],
): Promise<{ deliveries: DeliveryMessage[]; page: PageInfo }> {
  const page = listPageOf(request, call, DELIVERY_ORDER);
  const found = await selectDeliveries(database, receiver, DELIVERY_STATUS.nameOf(request.status), page);
  return { deliveries: found.items.map(deliveryMessage), page: listPageInfo(page, found) };
}

/** Returns a delivery of a receiver. Throws NOT_FOUND. */
export async function getDelivery(db: Statements, receiver: ReceiverAddress, id: string): Promise<DeliveryMessage> {
  const delivery = isId(id) ? await findDelivery(db, receiver, id) : undefined;
  if (delivery === undefined) throw new ServiceError('NOT_FOUND');
  return deliveryMessage(delivery);
}

/** Returns the newest attempts of a delivery, the oldest first. */
export async function readAttempts(
  db: Statements,
  receiver: ReceiverAddress,
  id: string,
): Promise<readonly LoggedAttempt[]> {
  return parseAttempts(await selectAttemptsLog(db, receiver, id));
}

/** Makes a delivery due at once, whatever its status is. Throws NOT_FOUND. */
export async function resendDelivery(
  tx: Statements,
  receiver: ReceiverAddress,
  id: string,
  now: number,
): Promise<DeliveryMessage> {
  // The queue first, as the job of deliveries does.
  await resumeQueue(tx, receiver, now);
  await restartDelivery(tx, receiver, id, now);
  return getDelivery(tx, receiver, id);
}

function deliveryMessage(delivery: Delivery): DeliveryMessage {
  const { id, event, recordId, status, attempts, createdAt, attemptAt, nextAt, responseStatus, error } = delivery;
  return {
    id,
    event,
    ...(recordId !== undefined && { recordId }),
    status: DELIVERY_STATUS.valueOf(status),
    attempts,
    createdAt: new Date(createdAt),
    ...(attemptAt !== undefined && { lastAttemptAt: new Date(attemptAt) }),
    ...(nextAt !== undefined && { nextAttemptAt: new Date(nextAt) }),
    ...(responseStatus !== undefined && { responseStatus }),
    ...(error !== undefined && { error }),
  };
}
