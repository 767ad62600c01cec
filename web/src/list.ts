// Lists whose search, filters and page are in the URL, so that a reload and a link show the same.
import { useSearchParams } from 'wouter-preact';
import { readPage, type Page } from '../../client/src/index.ts';
import type { Reply } from '../../client/src/operations.ts';
import type { Topic } from './changes.ts';
import { useQuery, type Query } from './query.ts';

/** The filters, and `q`, that are chosen. Their names are those of the operation's query. */
type ListFilters<Filter extends string> = { readonly [Name in Filter | 'q']?: string };

/** What a list is asked for. */
export type ListQuery<Filter extends string> = ListFilters<Filter> & { readonly place: Place };

/** A page by its number, or by the cursor of the page before it. The service reads the 1,000th one as fast as the first. */
type Place = { readonly page: number } | { readonly after: string };

export interface List<Item, Filter extends string> {
  readonly query: Query<Page<Item>>;
  readonly page: number;
  readonly values: ListFilters<Filter>;
  /** Changes filters, and shows the first page of the result. An empty value removes a filter. */
  readonly filter: (changes: ListFilters<Filter>) => void;
  readonly showPage: (page: number) => void;
}

/** The cursors of pages that were shown, by their URLs without `after`, for the way back. */
const cursors = new Map<string, string>();

/**
 * Loads a page of a list: `useList(['role'], ({ role, place }, signal) => listUsers(session, { query: { role, ...place } }, { signal }))`.
 * The next page is that of the cursor, so records that are added meanwhile move none to it.
 *
 * @param filters The filters besides `q`.
 * @param dependencies Other values that `load` uses, except those of the URL.
 * @param shows What the records are. They are loaded again after each act that changes them.
 */
export function useList<Item, const Filter extends string>(
  filters: readonly Filter[],
  load: (query: ListQuery<Filter>, signal: AbortSignal) => Promise<Reply<readonly Item[]>>,
  dependencies: readonly unknown[] = [],
  shows: readonly Topic[] = [],
): List<Item, Filter> {
  const [search, setSearch] = useSearchParams();
  const names = ['q', ...filters] as const;
  const given = names.flatMap((name) => (search.get(name) ? [[name, search.get(name)!]] : []));
  const values = Object.fromEntries(given) as ListFilters<Filter>;
  const page = Number(search.get('page')) || 1;
  const after = search.get('after');
  const place: Place = after === null ? { page } : { after };
  // Data of another list, such as that of another tenant, is shown until this one is loaded. Its cursor is of no use here.
  const owner = JSON.stringify([location.pathname, listOf(search), ...dependencies]);
  const query = useQuery(
    async (signal) => ({ ...readPage(await load({ ...values, place }, signal)), owner }),
    [String(search), ...dependencies],
    shows,
  );

  return {
    query,
    page,
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
    showPage: (wanted) =>
      setSearch((current) => {
        current.delete('after');
        if (wanted > 1) current.set('page', String(wanted));
        else current.delete('page');
        const url = `${location.pathname}?${current}`;
        const next = wanted === page + 1 && query.data?.owner === owner ? query.data.after : undefined;
        if (next !== undefined) cursors.set(url, next);
        const cursor = cursors.get(url);
        if (cursor !== undefined) current.set('after', cursor);
        return current;
      }),
  };
}

/** Returns what the URL says about the list, without the page. */
function listOf(search: URLSearchParams): string {
  const list = new URLSearchParams(search);
  list.delete('page');
  list.delete('after');
  list.sort();
  return String(list);
}
