// Finds a delivery in the list, which has no filter by id.
import type { WebhookDelivery } from '../../../../client/src/operations.ts';

export interface FoundDelivery {
  readonly delivery: WebhookDelivery;
  /** The number of its page. */
  readonly page: number;
}

/**
 * Returns a delivery and its page. Reads few pages of a long list, because it is ordered by id, the newest first.
 *
 * @param start The page to begin with, such as the one that it was found on before.
 */
export async function findDelivery(
  load: (page: number) => Promise<readonly WebhookDelivery[]>,
  id: string,
  start: number,
): Promise<FoundDelivery | undefined> {
  let [page, low, end] = [start, 1, Infinity];
  while (low < end) {
    const deliveries = await load(page);
    const delivery = deliveries.find((one) => one.id === id);
    if (delivery) return { delivery, page };
    const isBehind = deliveries.length === 0 || deliveries[0]!.id < id;
    if (isBehind) end = page;
    else low = page + 1;
    page = end === Infinity ? 2 * page : Math.floor((low + end) / 2);
  }
  return undefined;
}
