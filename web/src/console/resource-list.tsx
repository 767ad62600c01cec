// A list of records in the console: search, filters, table, pages, and the form for a new record.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { Session } from '../../../client/src/index.ts';
import type { Reply } from '../../../client/src/operations.ts';
import type { Topic } from '../changes.ts';
import { formatNumber } from '../format.ts';
import { PageError, textOf } from '../errors.ts';
import { useList, type ListQuery } from '../list.ts';
import { commonTexts } from '../texts/common.ts';
import { Acts, type Act } from './act-button.tsx';
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
  /** What none of the options means. Default: all. */
  readonly none?: string;
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
  readonly columns: readonly Column<Item>[];
  readonly keyOf: (item: Item) => string;
  /** What the items are. They are loaded again after each act that changes them. */
  readonly shows: readonly Topic[];
  readonly empty?: string;
  /** What can be done with several items at once. */
  readonly several?: {
    readonly nameOf: (item: Item) => string;
    readonly acts: (items: readonly Item[]) => readonly Act[];
  };
  /** The button for a new record, and its form. */
  readonly create?: { readonly label: string; readonly form: (close: () => void) => ComponentChildren };
  /** Further buttons beside it. */
  readonly actions?: ComponentChildren;
}

const NO_FILTERS: readonly never[] = [];

/** The screen of a list. What it shows follows from the URL alone, the tenant included. */
export function ResourceList<Item, const Filter extends string = never>(props: ResourceListProps<Item, Filter>) {
  const { title, intro, load, search, filters = NO_FILTERS, columns, keyOf, shows, empty, several, create } = props;
  const { session } = useService();
  const { tenantId } = useConsole();
  const [isCreating, setCreating] = useState(false);
  const names = filters.map(({ name }) => name);
  const list = useList(names, (query, signal) => load(session, { ...query, tenantId }, signal), [], shows);
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const chosen = list.query.data?.items.filter((item) => keys.has(keyOf(item))) ?? [];
  const choose = (key: string, isChosen: boolean) => {
    const next = new Set(keys);
    if (isChosen) next.add(key);
    else next.delete(key);
    setKeys(next);
  };
  const choice = several && { nameOf: several.nameOf, isChosen: (item: Item) => keys.has(keyOf(item)), choose, keyOf };
  return (
    <ConsoleFrame
      title={title}
      actions={
        <>
          {props.actions}
          {create && (
            <button class="primary" onClick={() => setCreating(true)}>
              {create.label}
            </button>
          )}
        </>
      }
    >
      {intro && <p class="quiet-text">{intro}</p>}
      <div class="filters">
        {search && <SearchField label={search} value={list.values.q} onSearch={(q) => list.filter({ q })} />}
        {filters.map(({ name, label, options, none }, index) => {
          const field = {
            label,
            value: list.values[name],
            onChoose: (value: string) => list.filter({ [name]: value } as typeof list.values),
          };
          return options ? (
            <FilterChoice key={name} {...field} options={options} none={none} />
          ) : (
            <FilterField key={name} {...field} maxLength={254} isSearch={!search && index === 0} />
          );
        })}
      </div>
      {several && chosen.length > 0 && (
        <div class="chosen" role="group" aria-label={commonTexts().chosen(formatNumber(chosen.length))}>
          <p>{commonTexts().chosen(formatNumber(chosen.length))}</p>
          <Acts acts={several.acts(chosen)}>
            <button onClick={() => setKeys(new Set())}>{commonTexts().chooseNone}</button>
          </Acts>
        </div>
      )}
      <ListView
        list={list}
        caption={title}
        columns={choice ? withChoice(columns, choice) : columns}
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

interface Choice<Item> {
  readonly nameOf: (item: Item) => string;
  readonly keyOf: (item: Item) => string;
  readonly isChosen: (item: Item) => boolean;
  readonly choose: (key: string, isChosen: boolean) => void;
}

/** Returns the columns with a checkbox before the name of each item. */
function withChoice<Item>([first, ...rest]: readonly Column<Item>[], choice: Choice<Item>): readonly Column<Item>[] {
  const cell = (item: Item) => (
    <span class="choosable">
      <input
        type="checkbox"
        aria-label={commonTexts().choose(choice.nameOf(item))}
        checked={choice.isChosen(item)}
        onChange={({ currentTarget }) => choice.choose(choice.keyOf(item), currentTarget.checked)}
      />
      <span>{first!.cell(item)}</span>
    </span>
  );
  return [{ ...first!, cell }, ...rest];
}

/**
 * Does the same with several items, one after the other. Throws which of them were refused, after all have been tried.
 *
 * @returns How many there were.
 */
export async function withEach<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  act: (item: Item) => Promise<unknown>,
): Promise<string> {
  const refusals: string[] = [];
  for (const item of items)
    await act(item).catch((error: unknown) => refusals.push(`${nameOf(item)}: ${textOf(error)}`));
  const done = formatNumber(items.length - refusals.length);
  if (refusals.length > 0) throw new PageError([commonTexts().doneFor(done), ...refusals].join(' '));
  return done;
}
