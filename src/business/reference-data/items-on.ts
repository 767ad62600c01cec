import type { Page } from '../../paging.ts';

/** The items of a short list that are on a page. */
export function itemsOn<Item>({ offset, perPage }: Page, items: readonly Item[]): readonly Item[] {
  return items.slice(offset, offset + perPage);
}
