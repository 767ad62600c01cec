// The kinds of columns of a record: how a value is stored, read, and shown in the record's message.
import type { EnumNames } from '../formats/enum-names.ts';
import { hexOf, hexToId, idToBytes } from './ids.ts';
import type { SqlValue } from './types.ts';

/** A column. A conversion that is missing keeps the value. `Missing` is shown for an optional column without a value. */
export interface Column<Value, Shown = Value, Missing = undefined> {
  readonly name: string;
  /** Returns the SQL of the value of `p.name`. */
  readonly select?: (column: string) => string;
  readonly fromSql?: (stored: never) => Value;
  readonly toSql?: (value: Value) => SqlValue;
  readonly toMessage?: (value: Value) => Shown;
  readonly fromMessage?: (shown: Shown) => Value | undefined;
  readonly missing?: Missing;
  /** Whether an insertion gets the value, a tenant, from the scope of its statement. */
  readonly isWrittenFromScope?: boolean;
  readonly isOptional?: boolean;
}

// oxlint-disable-next-line typescript/no-explicit-any -- columns of all kinds
export type Columns = Readonly<Record<string, Column<any, any, any>>>;

/** The tenant of the scope, which is not selected. */
export interface TenantColumn extends Column<string> {
  /** Rows of a statement all have the tenant of its scope. */
  readonly isReadFromScope: true;
}
export const tenant = (name: string): TenantColumn => ({
  name,
  isWrittenFromScope: true,
  isReadFromScope: true,
});

/** The tenant of a row; '' for none. */
export const optionalTenant = (name: string): Column<string | undefined> => ({
  name,
  select: (column) => `CAST(${column} AS CHAR)`,
  fromSql: (stored: string) => stored || undefined,
  isWrittenFromScope: true,
});

/** A UUID, stored as 16 bytes. */
export const id = (name: string): Column<string> => ({ name, select: hexOf, fromSql: hexToId, toSql: idToBytes });

/** A UUID, or NULL. `hexOf` selects NULL as '' on SQLite. */
export const optionalId = (name: string): Column<string | undefined> => ({
  ...optional(id(name)),
  fromSql: (hex: string | null) => (hex ? hexToId(hex) : undefined),
});

export const text = (name: string): Column<string> => ({ name });

/** A text in a column of bytes, which compares it exactly. */
export const exactText = (name: string): Column<string> => ({
  name,
  select: (column) => `CAST(${column} AS CHAR)`,
  toSql: Buffer.from,
});

/** Texts without commas. */
export const list = (name: string): Column<readonly string[]> => ({
  name,
  fromSql: splitList,
  toSql: (values) => values.join(','),
});

/** Returns the texts of a stored list. */
export function splitList(stored: string): readonly string[] {
  return stored === '' ? [] : stored.split(',');
}

export const integer = (name: string): Column<number> => ({ name });

/** An amount in hundredths of its currency. */
export const money = integer;

/** Unix milliseconds. */
export const time = (name: string): Column<number, Date> => ({
  name,
  toMessage: (value) => new Date(value),
  fromMessage: (date) => date.getTime(),
});

/** A boolean, stored as 0 or 1. */
export const flag = (name: string): Column<boolean> => ({
  name,
  fromSql: (stored) => stored === 1,
  toSql: (value) => (value ? 1 : 0),
});

/** A value of an enum of the protos, stored as its name without prefix. */
export function enumName<Enum extends Readonly<Record<string, number>>, Name extends string>(
  name: string,
  { nameOf, valueOf }: EnumNames<Enum, Name>,
): Column<Name, Enum[keyof Enum], Enum[keyof Enum]> {
  return { name, toMessage: valueOf, fromMessage: nameOf, missing: valueOf(undefined) };
}

/** Makes a column optional: NULL is undefined. */
export function optional<Value, Shown, Missing>(
  column: Column<Value, Shown, Missing>,
): Column<Value | undefined, Shown | Missing> {
  const { name, select, fromSql = keep, toSql = keep, toMessage = keep, fromMessage = keep, missing } = column;
  return {
    name,
    ...(select && { select }),
    fromSql: (stored) => (stored === null ? undefined : (fromSql as (stored: unknown) => Value)(stored)),
    toSql: (value) => (value === undefined ? null : (toSql as (value: Value) => SqlValue)(value)),
    toMessage: (value) => (value === undefined ? (missing as Missing) : (toMessage as (value: Value) => Shown)(value)),
    fromMessage: (shown) => (shown === undefined ? undefined : (fromMessage as (shown: unknown) => Value)(shown)),
    isOptional: true,
  };
}

/** A value of another table, which is only selected. `select` gets the alias of the record's table. */
export const selected = <Value, Shown = Value>(
  select: (alias: string) => string,
  fromSql: (stored: never) => Value,
  toMessage?: (value: Value) => Shown,
): Column<Value, Shown> => ({ name: '', select, fromSql, ...(toMessage && { toMessage }) });

function keep(value: unknown): unknown {
  return value;
}
