// The order of a list of administration, and positions in it.
import { bytesToId, idToBytes, isId } from '../ids.ts';
import type { SqlValue, StoredValue } from '../types.ts';
import type { Condition } from './condition.ts';
import type { Key } from './page.ts';

/** The type of a column that defines the order of a list. */
type KeyKind = 'time' | 'id' | 'text';

/** The columns that define the order of a list, with their alias, at most two. Together they are unique. */
export interface ListOrder {
  readonly key: readonly { readonly column: string; readonly kind: KeyKind }[];
  readonly descending: boolean;
}

interface Kind {
  readonly isValid: (value: unknown) => boolean;
  readonly toSql: (value: number | string) => SqlValue;
  readonly fromSql: (value: StoredValue) => number | string;
}

/** Most UTF-16 units of a text: a username has up to 254 characters. */
const MAX_TEXT = 508;

const KINDS: Readonly<Record<KeyKind, Kind>> = {
  time: {
    isValid: (value) => Number.isSafeInteger(value),
    toSql: (value) => value,
    fromSql: Number,
  },
  id: {
    isValid: isId,
    toSql: (value) => idToBytes(value as string),
    fromSql: (value) => bytesToId(value as Uint8Array),
  },
  text: {
    isValid: (value) => typeof value === 'string' && value.length <= MAX_TEXT,
    toSql: (value) => Buffer.from(value as string),
    fromSql: (value) => Buffer.from(value as Uint8Array).toString(),
  },
};

/** Whether values can be a position in this order. */
export function isKeyOf({ key }: ListOrder, values: readonly unknown[]): values is Key {
  return values.length === key.length && key.every(({ kind }, index) => KINDS[kind].isValid(values[index]));
}

/** Returns the condition that a row is behind a position. */
export function behind({ key, descending }: ListOrder, values: Key): Condition {
  const [first, second] = key.map(({ column }) => column);
  const stored = key.map(({ kind }, index) => KINDS[kind].toSql(values[index]!));
  const sign = descending ? '<' : '>';
  if (second === undefined) return { sql: `${first} ${sign} ?`, values: stored };
  // The first part alone bounds what the engine reads of an index.
  return {
    sql: `${first} ${sign}= ? AND (${first} ${sign} ? OR ${second} ${sign} ?)`,
    values: [stored[0]!, ...stored],
  };
}

/** Returns the columns of the key for SELECT, as `key_0` and `key_1`. */
export function keyColumns({ key }: ListOrder): string[] {
  return key.map(({ column }, index) => `${column} AS key_${index}`);
}

/** Returns the position of a row that contains keyColumns. */
export function keyOf({ key }: ListOrder, row: object): Key {
  return key.map(({ kind }, index) => KINDS[kind].fromSql((row as Record<string, StoredValue>)[`key_${index}`]!));
}

/** Returns the order of the selected keyColumns. */
export function byKey({ key, descending }: ListOrder): string {
  return key.map((_column, index) => `key_${index} ${descending ? 'DESC' : 'ASC'}`).join(', ');
}
