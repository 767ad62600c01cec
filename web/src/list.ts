// Lists whose search, filters and page are in the URL, so that a reload and a link show the same.
import { useSearchParams } from 'wouter-preact';
import { readPage, type Page } from '../../client/src/index.ts';
import type { Reply } from '../../client/src/operations.ts';
import { useQuery, type Query } from './query.ts';

/** What a list is asked for. The names of the filters are those of the operation's query. */
export type ListQuery<Filter extends string> = { readonly [Name in Filter | 'q']?: string } & {
  readonly page: number;
};

export interface List<Item, Filter extends string> {
  readonly query: Query<Page<Item>>;
  readonly values: ListQuery<Filter>;
  /** Changes filters, and shows the first page of the result. An empty value removes a filter. */
  readonly filter: (changes: { readonly [Name in Filter | 'q']?: string }) => void;
  readonly showPage: (page: number) => void;
}

/**
 * Loads a page of a list: `useList(['role'], (query, signal) => listUsers(session, { query }, { signal }))`.
 *
 * @param filters The filters besides `q`. With `after`, the next page is that of the cursor, so records that are added
 * meanwhile move none to it.
 * @param dependencies Other values that `load` uses.
 */
export function useList<Item, const Filter extends string>(
  filters: readonly Filter[],
  load: (query: ListQuery<Filter>, signal: AbortSignal) => Promise<Reply<readonly Item[]>>,
  dependencies: readonly unknown[] = [],
): List<Item, Filter> {
  const [search, setSearch] = useSearchParams();
  const names = ['q', ...filters] as const;
  const given = names.flatMap((name) => (search.get(name) ? [[name, search.get(name)!]] : []));
  const values = { ...Object.fromEntries(given), page: Number(search.get('page')) || 1 } as ListQuery<Filter>;
  const hasCursor = search.has('after') && names.includes('after' as Filter);
  const query = useQuery(
    async (signal) => {
      const page = readPage(await load(values, signal));
      return hasCursor ? { ...page, page: values.page } : page;
    },
    [String(search), ...dependencies],
  );

  return {
    query,
    values,
    filter: (changes) =>
      setSearch(
        (current) => {
          for (const [name, value] of Object.entries<string | undefined>(changes))
            if (value) current.set(name, value);
            else current.delete(name);
          current.delete('page');
          current.delete('after');
          return current;
        },
        // Each key of a search would otherwise be a step of the browser's back button.
        { replace: true },
      ),
    showPage: (page) =>
      setSearch((current) => {
        if (page > 1) current.set('page', String(page));
        else current.delete('page');
        const cursor = page === values.page + 1 && names.includes('after' as Filter) ? query.data?.after : undefined;
        if (cursor) current.set('after', cursor);
        else current.delete('after');
        return current;
      }),
  };
}
