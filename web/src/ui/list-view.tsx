import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Page } from '../../../client/src/index.ts';
import { codeOf } from '../errors.ts';
import { formatNumber } from '../format.ts';
import type { List } from '../list.ts';
import { commonTexts } from '../texts/common.ts';
import { QueryView } from './query-view.tsx';
import { useSearchKey } from './search-key.ts';
import { Table, type Column } from './table.tsx';

export type { Column } from './table.tsx';

const TYPING_MS = 250;

interface ListViewProps<Item, Filter extends string> {
  readonly list: List<Item, Filter>;
  /** What the list contains, for screen readers. */
  readonly caption: string;
  /** The first column names the item. */
  readonly columns: readonly Column<Item>[];
  readonly keyOf: (item: Item) => string;
  /** What to do if there is nothing. */
  readonly empty?: ComponentChildren;
}

/** A table with its pages. */
export function ListView<Item, Filter extends string>(props: ListViewProps<Item, Filter>) {
  const { list, caption, columns, keyOf, empty } = props;
  const { error } = list.query;
  // The number is too high, or the cursor belongs to other filters. Trying again would not help.
  if (list.page > 1 && codeOf(error) === 'validation-error') {
    return (
      <div class="state">
        <Nothing list={list} />
      </div>
    );
  }
  return (
    <QueryView query={list.query}>
      {(page) =>
        page.items.length === 0 ? (
          <div class="state">
            <Nothing list={list} empty={empty} />
          </div>
        ) : (
          <>
            <Table caption={caption} columns={columns} items={page.items} keyOf={keyOf} />
            <Pager page={page} show={list.showPage} />
          </>
        )
      }
    </QueryView>
  );
}

/** Why there is no item: the page does not exist, nothing matches, or the list is empty. */
function Nothing<Item, Filter extends string>({ list, empty }: Pick<ListViewProps<Item, Filter>, 'list' | 'empty'>) {
  const texts = commonTexts();
  if (list.page > 1) {
    return (
      <>
        <p>{texts.noPage}</p>
        <button onClick={() => list.showPage(1)}>{texts.firstPage}</button>
      </>
    );
  }
  const names = Object.keys(list.values) as (Filter | 'q')[];
  if (names.length === 0) return <>{empty ?? <p>{texts.empty}</p>}</>;
  const none = Object.fromEntries(names.map((name) => [name, ''])) as Parameters<typeof list.filter>[0];
  return (
    <>
      <p>{texts.noMatch}</p>
      <button onClick={() => list.filter(none)}>{texts.removeFilters}</button>
    </>
  );
}

function Pager<Item>({ page, show }: { readonly page: Page<Item>; readonly show: (page: number) => void }) {
  const texts = commonTexts();
  const total = formatNumber(page.totalCount);
  const hasNext =
    page.page * page.perPage < page.totalCount || (page.totalIsMinimum && page.items.length === page.perPage);
  const first = (page.page - 1) * page.perPage + 1;
  return (
    <nav class="pager" aria-label={texts.pages}>
      <p>
        {texts.range(formatNumber(first), formatNumber(first + page.items.length - 1))}{' '}
        {page.totalIsMinimum ? texts.totalAtLeast(total) : texts.total(total)}
      </p>
      {(page.page > 1 || hasNext) && (
        <>
          {page.page > 2 && <button onClick={() => show(1)}>{texts.firstPage}</button>}
          <button aria-disabled={page.page === 1} onClick={() => page.page > 1 && show(page.page - 1)}>
            {texts.previousPage}
          </button>
          <button aria-disabled={!hasNext} onClick={() => hasNext && show(page.page + 1)}>
            {texts.nextPage}
          </button>
        </>
      )}
    </nav>
  );
}

interface SearchFieldProps {
  readonly label?: string;
  readonly value: string | undefined;
  readonly onSearch: (text: string) => void;
}

/** Searches when the typing pauses. The key `/` leads to it. */
export function SearchField({ label = commonTexts().search, value = '', onSearch }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const timer = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  // Back and forward change the text, too. While it has the focus, the user's typing is newer.
  useLayoutEffect(() => {
    if (field.current && field.current !== document.activeElement) field.current.value = value;
  }, [value]);
  useSearchKey(field);
  return (
    <input
      ref={field}
      class="search"
      type="search"
      aria-label={label}
      placeholder={label}
      maxLength={200}
      defaultValue={value}
      onInput={({ currentTarget }) => {
        clearTimeout(timer.current);
        timer.current = window.setTimeout(() => onSearch(currentTarget.value.trim()), TYPING_MS);
      }}
    />
  );
}
