import type { Statements } from '../../db/types.ts';
import { changeCounts } from '../counter-store.ts';
import { attachFiles } from '../files/attachments.ts';
import type { FileName, OwnerKind } from '../files/file.ts';
import type { Order } from './order.ts';
import { returnStock } from './order-items.ts';
import type { OrderStatus } from './order-status.ts';
import { updateOrder } from './order-store.ts';
import { insertStatusChange } from './status-change-store.ts';
import { assertTransition } from './transition.ts';

export interface StatusTransition {
  readonly to: OrderStatus;
  /** Kept in the history. */
  readonly note: string | undefined;
  /** Account id of who moves the order. */
  readonly by: string;
  /** Unix milliseconds. */
  readonly now: number;
  /** Staged files: only with a status of PHOTOGRAPHED. */
  readonly photos?: readonly FileName[];
}

/** The statuses that photos belong to, and where they are shown. */
export const PHOTOGRAPHED = {
  READY: { kind: 'order-production', list: 'productionPhotos' },
  DELIVERED: { kind: 'order-delivery', list: 'deliveryPhotos' },
} as const satisfies Partial<Record<OrderStatus, { readonly kind: OwnerKind; readonly list: keyof Order }>>;

/** Whether photos belong to a status. */
export function isPhotographed(status: OrderStatus): status is keyof typeof PHOTOGRAPHED {
  return status in PHOTOGRAPHED;
}

/**
 * Moves an order that this transaction has locked to another status; CANCELLED gives its stock back. Throws
 * INVALID_TRANSITION, and VALIDATION_ERROR where a photo is no staged image any more.
 */
export async function transitionOrder(
  tx: Statements,
  order: Order,
  { to, note, by, now, photos = [] }: StatusTransition,
): Promise<Order> {
  const { tenantId, status: from } = order;
  assertTransition(from, to);
  const moved = { ...order, ...(await attachPhotos(tx, order, to, photos, now)), status: to };
  await updateOrder(tx, moved);
  await insertStatusChange(tx, moved, { from, to, at: now, by, note });
  if (to === 'CANCELLED') await returnStock(tx, order, now);
  await changeCounts(tx, tenantId, 'orders', [
    { status: from, by: -1 },
    { status: to, by: 1 },
  ]);
  return moved;
}

/** The order's lists of photos, with those that it gets. */
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
