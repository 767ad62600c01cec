import type { ComponentChildren } from 'preact';

export interface Column<Item> {
  readonly title: string;
  readonly cell: (item: Item) => ComponentChildren;
  /** Right-aligned. */
  readonly isNumber?: boolean;
  /** Buttons, which are not printed. */
  readonly isAct?: boolean;
}

const classOf = ({ isNumber, isAct }: Pick<Column<never>, 'isNumber' | 'isAct'>): string | undefined =>
  isNumber ? 'number' : isAct ? 'act' : undefined;

interface TableProps<Item> {
  /** What the table contains, for screen readers. */
  readonly caption: string;
  /** The first column names the item. */
  readonly columns: readonly Column<Item>[];
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
}

/** A table. On narrow screens, each row is a list of its cells. */
export function Table<Item>({ caption, columns, items, keyOf }: TableProps<Item>) {
  return (
    <div class="scroll" role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="hidden-text">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={keyOf(item)}>
              {columns.map((column, index) =>
                index === 0 ? (
                  <th key={column.title} scope="row">
                    {column.cell(item)}
                  </th>
                ) : (
                  <td key={column.title} data-title={column.title} class={classOf(column)}>
                    {column.cell(item)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
