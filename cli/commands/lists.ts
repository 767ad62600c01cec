// Lists: all pages up to a limit.
import type { PageInfo, PageRequest } from '../../proto/gen/authservice/paging/v1/paging.ts';
import type { Values } from '../command.ts';
import type { Result } from '../terminal/render.ts';

/** The option of every list. */
export const LIMIT_OPTION = { '--limit <number>': 'how many to show at most, 0 for all (default: 100)' };

const PAGE_SIZE = 100;

/** Reads the pages of a list up to the limit. */
export async function list<Item>(
  values: Values,
  columns: readonly string[],
  readPage: (page: PageRequest) => Promise<{ items: readonly Item[]; page?: PageInfo | undefined }>,
): Promise<Result & { readonly value: readonly Item[] }> {
  const limit = values.text('limit') === undefined ? PAGE_SIZE : values.count('limit') || Number.MAX_SAFE_INTEGER;
  const found: Item[] = [];
  let total = 0;
  for await (const { items, page } of pages(readPage)) {
    found.push(...items);
    total = page?.total ?? found.length;
    if (found.length >= limit) break;
  }
  const shown = found.slice(0, limit);
  const note = shown.length < total ? `${shown.length} of ${total} shown; --limit 0 shows all` : undefined;
  return { value: shown, columns, ...(note !== undefined && { note }) };
}

/** Reads a list page by page, to its end. */
export async function* pages<Page extends { items: readonly unknown[] }>(
  readPage: (page: PageRequest) => Promise<Page>,
): AsyncGenerator<Page> {
  for (let page = 1; ; page += 1) {
    const read = await readPage({ page, perPage: PAGE_SIZE });
    yield read;
    if (read.items.length < PAGE_SIZE) return;
  }
}

/** Removes items that a list returned twice, because new items moved them to a later page meanwhile. */
export function distinctById<Item extends { readonly id: string }>(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}
