// A list of records in the console: search, filters, table, pages, and the form for a new record.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { Session } from '../../../client/src/index.ts';
import type { Reply } from '../../../client/src/operations.ts';
import { useList, type ListQuery } from '../list.ts';
import { FilterChoice } from '../ui/filter-choice.tsx';
import { FilterField } from '../ui/filter-field.tsx';
import { useService } from '../ui/frame.tsx';
import { ListView, SearchField } from '../ui/list-view.tsx';
import { Name } from '../ui/name.tsx';
import type { Column } from '../ui/table.tsx';
import { ConsoleFrame } from './console-frame.tsx';
import { useConsole } from './context.ts';

/** A filter whose value is chosen among `options`, or typed if there are none. */
interface ResourceFilter<Name extends string> {
  readonly name: Name;
  readonly label: string;
  readonly options?: readonly (readonly [value: string, text: string])[];
}

interface ResourceListProps<Item, Filter extends string> {
  readonly title: string;
  readonly intro?: string;
  /** Loads a page. The query has the tenant of the console, and the values of the filters that are set. */
  readonly load: (
    session: Session,
    query: ListQuery<Filter> & { readonly tenantId: string | undefined },
    signal: AbortSignal,
  ) => Promise<Reply<readonly Item[]>>;
  /** Label of the search. Default: the list has no search. */
  readonly search?: string;
  readonly filters?: readonly ResourceFilter<Filter>[];
  readonly columns: readonly Column<Item>[] | ((reload: () => void) => readonly Column<Item>[]);
  readonly keyOf: (item: Item) => string;
  readonly empty?: string;
  /** The button for a new record, and its form. */
  readonly create?: { readonly label: string; readonly form: (close: () => void) => ComponentChildren };
}

const NO_FILTERS: readonly never[] = [];

/** The screen of a list. What it shows follows from the URL alone, the tenant included. */
export function ResourceList<Item, const Filter extends string = never>(props: ResourceListProps<Item, Filter>) {
  const { title, intro, load, search, filters = NO_FILTERS, columns, keyOf, empty, create } = props;
  const { session } = useService();
  const { tenantId } = useConsole();
  const [isCreating, setCreating] = useState(false);
  const names = filters.map(({ name }) => name);
  const list = useList(names, (query, signal) => load(session, { ...query, tenantId }, signal));
  return (
    <ConsoleFrame
      title={title}
      actions={
        create && (
          <button class="primary" onClick={() => setCreating(true)}>
            {create.label}
          </button>
        )
      }
    >
      {intro && <p class="quiet-text">{intro}</p>}
      <div class="filters">
        {search && <SearchField label={search} value={list.values.q} onSearch={(q) => list.filter({ q })} />}
        {filters.map(({ name, label, options }) => {
          const field = {
            label,
            value: list.values[name],
            onChoose: (value: string) => list.filter({ [name]: value } as typeof list.values),
          };
          return options ? (
            <FilterChoice key={name} {...field} options={options} />
          ) : (
            <FilterField key={name} {...field} maxLength={254} isSearch={!search} />
          );
        })}
      </div>
      <ListView
        list={list}
        caption={title}
        columns={typeof columns === 'function' ? columns(list.query.reload) : columns}
        keyOf={keyOf}
        empty={empty && <p>{empty}</p>}
      />
      {isCreating && create?.form(() => setCreating(false))}
    </ConsoleFrame>
  );
}

/** A column that names a record and leads to it. */
export function nameColumn<Item>(
  title: string,
  linkTo: (path: string) => string,
  of: (item: Item) => { readonly path: string; readonly name: string | undefined },
): Column<Item> {
  return {
    title,
    cell: (item) => {
      const { path, name } = of(item);
      return (
        <Link href={linkTo(path)}>
          <Name>{name}</Name>
        </Link>
      );
    },
  };
}
