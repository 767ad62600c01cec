import type { Caller, CallInit } from './caller.ts';
import type { Reply } from './operation.ts';

/** A page of a list, and its position in the list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly page: number;
  readonly perPage: number;
  readonly totalCount: number;
  /** Whether there are more items than totalCount: lists of administration are counted up to 10,000. */
  readonly totalIsMinimum: boolean;
  /** The cursor of the next page, for `after`. Only lists of administration have it, and not on their last page. */
  readonly after?: string;
}

interface PageQuery {
  readonly page?: number;
  readonly perPage?: number;
  readonly after?: string;
}

interface Paged {
  readonly query?: PageQuery;
}

/** An operation that returns a list, such as `listProducts`. */
// oxlint-disable-next-line typescript/no-explicit-any -- each has its own parameters
type List = (caller: Caller, parameters?: any, init?: CallInit) => Promise<Reply<readonly unknown[]>>;
type ItemOf<Operation extends List> = Awaited<ReturnType<Operation>>['data'][number];

/** Parses the paging headers of a list. */
export function readPage<Item>({ data, headers }: Reply<readonly Item[]>): Page<Item> {
  const number = (name: string) => Number(headers.get(name));
  const after = nextPlace(headers)?.after;
  return {
    items: data,
    page: number('x-page'),
    perPage: number('x-per-page'),
    totalCount: number('x-total-count'),
    totalIsMinimum: headers.get('x-total-count-relation') === 'at-least',
    ...(after === undefined ? {} : { after }),
  };
}

/**
 * Iterates over the pages of a list from the page in the query on, with one request each. It follows the links of the
 * responses. So lists of administration repeat and leave out no item if others are added meanwhile.
 */
export async function* pages<Operation extends List>(
  caller: Caller,
  list: Operation,
  parameters?: Parameters<Operation>[1],
  init?: CallInit,
): AsyncGenerator<Page<ItemOf<Operation>>, void, undefined> {
  const { query, ...others }: Paged = parameters ?? {};
  const { page, after, ...filters } = query ?? {};
  let place: PageQuery | undefined = after === undefined ? { page: page ?? 1 } : { after };
  while (place !== undefined) {
    const reply: Reply<readonly unknown[]> = await list(caller, { ...others, query: { ...filters, ...place } }, init);
    yield readPage(reply as Reply<readonly ItemOf<Operation>[]>);
    place = nextPlace(reply.headers);
  }
}

/** Returns the page or cursor of the link to the next page (RFC 8288). */
function nextPlace(headers: Headers): PageQuery | undefined {
  const link = /<([^<>]*)>;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1];
  if (link === undefined) return undefined;
  const query = new URLSearchParams(link.split('?')[1]);
  const after = query.get('after');
  return after === null ? { page: Number(query.get('page')) } : { after };
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
