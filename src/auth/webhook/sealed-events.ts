// The event `audit.sealed`: the signed head of the audit trail, for receivers that keep it where the operator of the service cannot
// change it.
import type { FollowedRecords } from '../audit/export/follow-records.ts';
import { bodyOf, SEALED_EVENT } from './delivery-message.ts';
import type { Webhook } from './webhook-store.ts';

/** The newest head of a chain of seals. */
export interface SealedEvent {
  /** Undefined for the chain of all tenants. */
  readonly tenantId: string | undefined;
  /** The place of the last record that the seal covers. */
  readonly sequence: number;
  /** The body of a delivery. */
  readonly payload: string;
}

/** A head to sign. */
export interface Head {
  /** Undefined for all tenants. */
  readonly tenantId: string | undefined;
  readonly number: number;
  readonly mac: Uint8Array;
  /** Unix milliseconds. */
  readonly sealedAt: number;
}

/** Returns the newest head of each chain that has new seals after a place, if one of the webhooks gets it. */
export async function sealedEventsOf(
  records: Pick<FollowedRecords, 'seals'>,
  signHead: (head: Head) => Promise<string>,
  webhooks: readonly Webhook[],
  { after, through }: { readonly after: number; readonly through: number },
): Promise<readonly SealedEvent[]> {
  const wanted = new Set(
    webhooks.filter(({ events }) => events.includes(SEALED_EVENT)).map(({ tenantId }) => tenantId),
  );
  if (wanted.size === 0) return [];
  const newest = new Map((await records.seals(after, through)).map((seal) => [seal.tenantId, seal]));
  const heads = [...newest.values()].filter(({ tenantId }) => wanted.has(tenantId));
  return Promise.all(
    heads.map(async (head) => {
      const { tenantId, number, sealedAt, lastSequence } = head;
      const data = { ...(tenantId !== undefined && { tenantId }), number, head: await signHead(head) };
      return { tenantId, sequence: lastSequence, payload: bodyOf(SEALED_EVENT, sealedAt, data) };
    }),
  );
}
