import type { Page } from '../../platform/db/query/page.ts';

/** Returns the items of a short list that are on a page. */
export function itemsOn<Item>({ offset, perPage }: Page, items: readonly Item[]): readonly Item[] {
  return items.slice(offset, offset + perPage);
}
