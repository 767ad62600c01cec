import type { Statements } from '../../platform/db/types.ts';
import { moveCount } from '../counter-store.ts';
import { attachFiles } from '../files/attachments.ts';
import type { FileName, OwnerKind } from '../files/file.ts';
import type { Order } from './order.ts';
import { returnStock } from './order-items.ts';
import { ORDER_STATUS_TABLE, type OrderStatus } from './order-status.ts';
import { ORDERS } from './order-store.ts';
import { insertStatusChange } from './status-change-store.ts';
import { ServiceError } from '../../platform/errors.ts';

interface StatusTransition {
  readonly to: OrderStatus;
  /** Stored in the history. */
  readonly note: string | undefined;
  /** Account id of the account that makes the change. */
  readonly by: string;
  /** Unix milliseconds. */
  readonly now: number;
  /** Staged files. Allowed only with a status in PHOTOGRAPHED. */
  readonly photos?: readonly FileName[];
}

/** The statuses with photos, and the fields that show them. */
export const PHOTOGRAPHED = {
  READY: { kind: 'order-production', list: 'productionPhotos' },
  DELIVERED: { kind: 'order-delivery', list: 'deliveryPhotos' },
} as const satisfies Partial<Record<OrderStatus, { readonly kind: OwnerKind; readonly list: keyof Order }>>;

/** Whether a status can have photos. */
export function isPhotographed(status: OrderStatus): status is keyof typeof PHOTOGRAPHED {
  return status in PHOTOGRAPHED;
}

/**
 * Sets the status of an order that this transaction has locked. CANCELLED returns its units to the stock. Throws
 * INVALID_TRANSITION, and VALIDATION_ERROR if a photo is no longer a staged image.
 */
export async function transitionOrder(
  tx: Statements,
  order: Order,
  { to, note, by, now, photos = [] }: StatusTransition,
): Promise<Order> {
  const { tenantId, status: from } = order;
  assertTransition(from, to);
  const moved = { ...order, ...(await attachPhotos(tx, order, to, photos, now)), status: to };
  await ORDERS.update(tx, moved);
  await insertStatusChange(tx, moved, { from, to, at: now, by, note });
  if (to === 'CANCELLED') await returnStock(tx, order, now);
  await moveCount(tx, tenantId, 'orders', from, to);
  return moved;
}

/** Returns the order's lists of photos including the new ones. */
async function attachPhotos(
  tx: Statements,
  { tenantId, id, productionPhotos, deliveryPhotos }: Order,
  to: OrderStatus,
  files: readonly FileName[],
  now: number,
): Promise<Pick<Order, 'productionPhotos' | 'deliveryPhotos'>> {
  const lists = { productionPhotos, deliveryPhotos };
  if (!isPhotographed(to) || files.length === 0) return lists;
  const { kind, list } = PHOTOGRAPHED[to];
  return { ...lists, [list]: await attachFiles(tx, { kind, id, tenantId }, { field: 'photos', files }, now) };
}

/** Throws INVALID_TRANSITION if the transition is not allowed. Keeping the status is not a transition. */
function assertTransition(from: OrderStatus, to: OrderStatus): void {
  const allowed = ORDER_STATUS_TABLE[from].next;
  if (allowed.includes(to)) return;
  const message = allowed.length > 0 ? `must be one of ${allowed.join(', ')}` : `cannot change from ${from} any more`;
  throw new ServiceError('INVALID_TRANSITION', {
    violations: [{ message, format: 'transition', props: ['status'], params: { from, to, allowed } }],
  });
}
