// Lists in pages.
import type { PageInfo } from '../gen/index.authservice.paging.v1.js';

/** The `page` of a request. */
export interface PageQuery {
  readonly page?: number;
  readonly perPage: number;
  readonly after?: string;
}

/** The items of a response, and its `page`. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly page: PageInfo | undefined;
}

const PER_PAGE = 100;

/**
 * Reads all pages of a list, one at a time. Sort by `createdAt`: new records then come last and move no other.
 *
 *     const products = readAll(async (page) => {
 *       const response = await client.listProducts({ page, sort: 'createdAt' });
 *       return { items: response.products, page: response.page };
 *     });
 *     for await (const product of products) …
 */
export async function* readAll<Item>(read: (page: PageQuery) => Promise<Page<Item>>): AsyncGenerator<Item, void> {
  let query: PageQuery = { page: 1, perPage: PER_PAGE };
  for (let number = 1; ;) {
    const { items, page } = await read(query);
    yield* items;
    if (page?.next !== undefined) {
      query = { perPage: PER_PAGE, after: page.next };
      continue;
    }
    // A list that is read by `next` ends without it.
    if (query.after !== undefined || items.length === 0 || !page || number * page.perPage >= page.total) return;
    number += 1;
    query = { page: number, perPage: PER_PAGE };
  }
}
