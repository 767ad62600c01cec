import type { FollowedRecords } from '../audit/export/follow-records.ts';
import type { DueDelivery } from '../delivery/outbox.ts';
import type { LoadedDeliveries, LoadedDelivery } from '../delivery/receiver.ts';
import { recordBody } from './delivery-message.ts';

/**
 * Creates a function that returns the bodies of deliveries. They are read from the audit records at that time, so that an erasure applies
 * to them. Deliveries of an account are in one lane.
 */
export function createLoadBodies(records: Pick<FollowedRecords, 'find'>) {
  return async (due: readonly DueDelivery[]): Promise<LoadedDeliveries> => {
    const wanted = due.flatMap(({ recordTenant, recordId }) =>
      recordId === undefined ? [] : [{ tenantId: recordTenant, id: recordId }],
    );
    const found = new Map((await records.find(wanted)).map((record) => [record.id, record]));
    const all = due.map((delivery) => {
      const record = delivery.recordId === undefined ? undefined : found.get(delivery.recordId);
      return { delivery, body: delivery.payload ?? (record && recordBody(record)), lane: record?.accountId ?? '' };
    });
    return {
      loaded: all.filter((one): one is LoadedDelivery => one.body !== undefined),
      missing: all.filter(({ body }) => body === undefined).map(({ delivery }) => delivery),
    };
  };
}
