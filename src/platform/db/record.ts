// A record: one table of its columns. Its type, its statements and its message follow from the table.
import type { Column, Columns, TenantColumn } from './columns.ts';
import { compileLiteral, type LiteralMember } from './object-literal.ts';
import type { Row, SqlValue } from './types.ts';

/** The values of columns. */
export type ValuesOf<Of extends Columns> = {
  readonly [Member in keyof Of]: Of[Member] extends Column<infer Value, infer _Shown, infer _Missing> ? Value : never;
};

/** A record to insert: optional columns can be left out. */
export type Insertable<Stored> = {
  readonly [Member in keyof Stored as undefined extends Stored[Member] ? never : Member]: Stored[Member];
} & { readonly [Member in keyof Stored as undefined extends Stored[Member] ? Member : never]?: Stored[Member] };

/** The values of columns as a message shows them. */
type ShownOf<Of extends Columns> = {
  [Member in keyof Of]: Of[Member] extends Column<infer _Value, infer Shown, infer _Missing> ? Shown : never;
};

/** A message with all its fields. A value of this type must contain the optional fields too. */
export type Complete<Message> = { [Member in keyof Required<Message>]: Message[Member] };

/** The complete message of a record whose members are all in the message. */
export type MessageOf<Of, Message> = Complete<Message> & { [Member in Exclude<keyof Of, keyof Message>]: never };

/** A message whose fields all have a column that fits. */
type Fitting<Message, Fields extends Columns> = {
  [Member in keyof Message]: Member extends keyof Fields ? ShownOf<Fields>[Member] | undefined : never;
};

interface RecordColumns<Fixed extends Columns, Fields extends Columns, Selected extends Columns> {
  /** The columns that an insertion sets. */
  readonly fixed: Fixed;
  /** The columns that updates set too. */
  readonly fields: Fields;
  /** Values of other tables. */
  readonly selected?: Selected;
  /** Columns that are stored only, from the values of the others. */
  readonly computed?: Readonly<Record<string, (record: ValuesOf<Fixed & Fields>) => SqlValue>>;
}

/** How records are stored in a table. */
export interface RecordRows<Stored, Found> {
  readonly table: string;
  /** Returns the SQL of the columns for an alias of the table. Rows have the names of the columns. */
  select(alias: string, change?: (sql: string, member: string) => string): string;
  /** Converts a row of a tenant. */
  read(row: Row, tenantId: string): Found;
  /** `tenant_id, id, …` of an insertion. */
  readonly names: string;
  /** `:tenant, ?, …` of an insertion. */
  readonly placeholders: string;
  insertValues(record: Insertable<Stored>): SqlValue[];
  /** `name = ?, …` of an update. */
  readonly assignments: string;
  updateValues(record: Stored): SqlValue[];
  /** The assignments of some fields, without computed columns, and their values. */
  changesOf(fields: Partial<Stored>): readonly (readonly [assignment: string, value: SqlValue])[];
}

interface RecordTable<Fixed extends Columns, Fields extends Columns, Selected extends Columns> extends Omit<
  RecordRows<ValuesOf<Fixed & Fields>, ValuesOf<Fixed & Fields & Selected>>,
  'read'
> {
  /** Converts a row. A row of a tenant gets the tenant of its statement. */
  read(
    row: Row,
    ...tenant: Fixed extends { readonly tenantId: TenantColumn } ? [tenantId: string] : []
  ): ValuesOf<Fixed & Fields & Selected>;
  /** Converts a record to its message. */
  toMessage(record: ValuesOf<Fixed & Fields & Selected>): ShownOf<Fixed & Fields & Selected>;
  /**
   * Converts the fields that a message has. Undefined clears an optional field. A required field that is undefined stays
   * out: the message is invalid, which its handler reports later. If it did not, the insertion would throw TypeError.
   */
  fromMessage<Message extends Fitting<Message, Fields>>(
    message: Message,
  ): { readonly [Member in keyof Message & keyof Fields]: ValuesOf<Fields>[Member] };
}

/** A column with its member, without types. */
interface Entry {
  readonly member: string;
  /** Its name in rows. */
  readonly as: string;
  readonly column: Column<unknown>;
}

export function defineRecord<Fixed extends Columns, Fields extends Columns, Selected extends Columns = {}>(
  table: string,
  { fixed, fields, selected, computed = {} }: RecordColumns<Fixed, Fields, Selected>,
): RecordTable<Fixed, Fields, Selected> {
  type Values = Readonly<Record<string, unknown>>;
  const changeable = entriesOf(fields);
  const stored = [...entriesOf(fixed), ...changeable];
  const others = entriesOf(selected ?? {});
  const shown = [...stored, ...others];
  const isReadFromScope = ({ column }: Entry) => 'isReadFromScope' in column;
  const tenant = stored.find(isReadFromScope)?.member;
  const read = shown.filter((entry) => !isReadFromScope(entry));
  const written = stored.filter(({ column }) => !column.isWrittenFromScope);
  const derived = Object.entries(computed) as [string, (record: Values) => SqlValue][];
  const valuesOf = (entries: readonly Entry[], record: Values) => [
    ...entries.map(({ member, column: { toSql } }) => {
      const value = record[member];
      return toSql === undefined ? (value as SqlValue) : toSql(value);
    }),
    ...derived.map(([, valueOf]) => valueOf(record)),
  ];
  const namesOf = (entries: readonly Entry[]) => [
    ...entries.map(({ column }) => column.name),
    ...Object.keys(computed),
  ];

  const untyped = {
    table,
    select: (alias: string, change = (sql: string, _member: string) => sql) =>
      read
        .map(({ member, as, column: { name, select = (sql: string) => sql } }) => {
          const sql = select(name === '' ? alias : `${alias}.${name}`);
          return `${change(sql, member)} AS ${as}`;
        })
        .join(', '),
    read: compiledLate(() => {
      const members = read.map(({ member, as, column }): LiteralMember => {
        return { name: member, source: as, convert: column.fromSql as LiteralMember['convert'] };
      });
      return compileLiteral(members, tenant);
    }),
    names: namesOf(stored).join(', '),
    placeholders: [
      ...stored.map(({ column }) => (column.isWrittenFromScope ? ':tenant' : '?')),
      ...derived.map(() => '?'),
    ].join(', '),
    insertValues: (record: Values) => valuesOf(written, record),
    assignments: namesOf(changeable)
      .map((name) => `${name} = ?`)
      .join(', '),
    updateValues: (record: Values) => valuesOf(changeable, record),
    changesOf: (fields: Values) => {
      const changed = changeable.filter(({ member }) => Object.hasOwn(fields, member));
      return changed.map(({ member, column: { name, toSql } }) => {
        const value = fields[member];
        return [`${name} = ?`, toSql === undefined ? value : toSql(value)];
      });
    },
    toMessage: compiledLate(() =>
      compileLiteral(shown.map(({ member: name, column }) => ({ name, source: name, convert: column.toMessage }))),
    ),
    fromMessage(message: Values) {
      const values: Record<string, unknown> = {};
      for (const { member, column } of changeable) {
        if (!Object.hasOwn(message, member)) continue;
        const value = message[member];
        if (value === undefined && !column.isOptional) continue;
        values[member] = column.fromMessage === undefined ? value : column.fromMessage(value);
      }
      return values;
    },
  };
  return untyped as unknown as RecordTable<Fixed, Fields, Selected>;
}

/** Returns a function that is compiled when it is called first: a process uses few of all tables. */
function compiledLate(compile: () => ReturnType<typeof compileLiteral>): ReturnType<typeof compileLiteral> {
  let compiled: ReturnType<typeof compileLiteral> | undefined;
  return (source, further) => (compiled ??= compile())(source, further);
}

function entriesOf(columns: Columns): readonly Entry[] {
  return Object.entries(columns).map(([member, column]) => ({
    member,
    as: column.name || member,
    column: column as Column<unknown>,
  }));
}
