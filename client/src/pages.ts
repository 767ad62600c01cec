import type { Caller, CallInit } from './caller.ts';
import type { Reply } from './operation.ts';

/** A page of a list, and its position in the list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly page: number;
  readonly perPage: number;
  readonly totalCount: number;
}

interface Paged {
  readonly query?: { readonly page?: number; readonly perPage?: number };
}

/** An operation that returns a list, such as `listProducts`. */
// oxlint-disable-next-line typescript/no-explicit-any -- each has its own parameters
type List = (caller: Caller, parameters?: any, init?: CallInit) => Promise<Reply<readonly unknown[]>>;
type ItemOf<Operation extends List> = Awaited<ReturnType<Operation>>['data'][number];

/** Parses the paging headers of a list. */
export function readPage<Item>({ data, headers }: Reply<readonly Item[]>): Page<Item> {
  const number = (name: string) => Number(headers.get(name));
  return {
    items: data,
    page: number('x-page'),
    perPage: number('x-per-page'),
    totalCount: number('x-total-count'),
  };
}

/** Iterates over the pages of a list from the page in the query on, with one request each. */
export async function* pages<Operation extends List>(
  caller: Caller,
  list: Operation,
  parameters?: Parameters<Operation>[1],
  init?: CallInit,
): AsyncGenerator<Page<ItemOf<Operation>>, void, undefined> {
  const { query, ...others }: Paged = parameters ?? {};
  for (let number = query?.page ?? 1; ; number += 1) {
    const reply = await list(caller, { ...others, query: { ...query, page: number } }, init);
    const page = readPage(reply as Reply<readonly ItemOf<Operation>[]>);
    yield page;
    if (page.items.length === 0 || page.page * page.perPage >= page.totalCount) return;
  }
}

/** Iterates over the items of all pages. */
export async function* items<Operation extends List>(
  caller: Caller,
  list: Operation,
  parameters?: Parameters<Operation>[1],
  init?: CallInit,
): AsyncGenerator<ItemOf<Operation>, void, undefined> {
  for await (const page of pages(caller, list, parameters, init)) yield* page.items;
}
