/** A column of a table with the width of its widest cell. */
export interface Column {
  readonly name: string;
  readonly width: number;
}

export const GAP = 2;
const MIN_WIDTH = 12;
/** Columns that are never cut, because their values are arguments of other commands or times. */
const WHOLE = /^(?:id|kid|keyId|secretId|core|time|at|\w+(?:At|From|Until))$/;

/**
 * Fits columns into a width: the widest texts are cut first, then the last columns are hidden. Returns the remaining
 * columns with their widths.
 */
export function fitColumns(columns: readonly Column[], available: number): Column[] {
  const widths = columns.map(({ width }) => width);
  const total = () => widths.reduce((sum, width) => sum + width + GAP, -GAP);
  while (total() > available) {
    const cuttable = columns.map(({ name }, index) => (WHOLE.test(name) ? 0 : widths[index]!));
    const widest = Math.max(...cuttable);
    // Without this column, the others may need no cut.
    if (widest <= MIN_WIDTH) return columns.length === 1 ? [...columns] : fitColumns(columns.slice(0, -1), available);
    widths[cuttable.indexOf(widest)] = widest - 1;
  }
  return columns.map(({ name }, index) => ({ name, width: widths[index]! }));
}
