// DDL of the migrations. Only migrations import it, because changes of other code must not change a released migration.

/** The database connection of a migration. Its statements have no timeout. */
export interface Schema {
  readonly engine: 'mysql' | 'sqlite';
  query<R>(sql: string, values?: readonly SchemaValue[]): Promise<R[]>;
  execute(sql: string, values?: readonly SchemaValue[]): Promise<number>;
}

type SchemaValue = string | number | Uint8Array | null;

/** The type of a column on both engines. */
export interface ColumnType {
  readonly mysql: string;
  readonly sqlite: string;
}

export interface TableDefinition {
  readonly columns: Readonly<Record<string, ColumnType>>;
  readonly primaryKey: readonly string[];
  /** Further unique keys. */
  readonly unique?: readonly (readonly string[])[];
  readonly indexes?: readonly (readonly string[])[];
  /** Foreign key to the row that this row belongs to. Deleting that row deletes this row. */
  readonly owner?: { readonly columns: readonly string[]; readonly table: string; readonly key: readonly string[] };
}

/**
 * Text that is compared byte by byte, because a collation could ignore accents, case or trailing spaces. `bytes` is the maximum.
 */
export const bytesKey = (bytes: number): ColumnType => ({
  mysql: `VARBINARY(${bytes}) NOT NULL`,
  sqlite: 'BLOB NOT NULL',
});
/** Ids, hashes and other values of a fixed length in bytes. */
export const bytes = (length: number): ColumnType => ({ mysql: `BINARY(${length}) NOT NULL`, sqlite: 'BLOB NOT NULL' });
/** Encrypted keys and other bytes, up to 64 kB. */
export const blob: ColumnType = { mysql: 'BLOB NOT NULL', sqlite: 'BLOB NOT NULL' };
/** Bytes of up to 16 MB. */
export const largeBlob: ColumnType = { mysql: 'MEDIUMBLOB NOT NULL', sqlite: 'BLOB NOT NULL' };
/** Text of at most `characters`. */
export const text = (characters: number): ColumnType => ({
  mysql: `VARCHAR(${characters}) NOT NULL`,
  sqlite: 'TEXT NOT NULL',
});
/** Text of up to 64 kB. */
export const longText: ColumnType = { mysql: 'TEXT NOT NULL', sqlite: 'TEXT NOT NULL' };
/** Unix milliseconds. */
export const time: ColumnType = { mysql: 'BIGINT NOT NULL', sqlite: 'INTEGER NOT NULL' };
/** Unix milliseconds, declared as rate-limiter-flexible does. */
export const unsignedTime: ColumnType = { mysql: 'BIGINT UNSIGNED NOT NULL', sqlite: 'INTEGER NOT NULL' };
export const integer: ColumnType = { mysql: 'INT NOT NULL', sqlite: 'INTEGER NOT NULL' };
/** An integer with the default 0. */
export const counter: ColumnType = { mysql: 'INT NOT NULL DEFAULT 0', sqlite: 'INTEGER NOT NULL DEFAULT 0' };
/** Money in hundredths and other integers up to 2^53. */
export const amount: ColumnType = time;
/** 0 or 1. */
export const flag: ColumnType = { mysql: 'TINYINT NOT NULL', sqlite: 'INTEGER NOT NULL' };
/** 0 or 1, computed by the database from other columns of the row. */
export const computedFlag = (expression: string): ColumnType => ({
  mysql: `TINYINT GENERATED ALWAYS AS (${expression}) STORED`,
  sqlite: `INTEGER GENERATED ALWAYS AS (${expression}) STORED`,
});

/** Returns the type with NULL allowed. */
export function optional(type: ColumnType): ColumnType {
  return { mysql: type.mysql.replace('NOT NULL', 'NULL'), sqlite: type.sqlite.replace('NOT NULL', 'NULL') };
}

/**
 * Creates a table if it is missing, so that a migration that was killed half-way can run again. MySQL cannot roll back a
 * CREATE TABLE.
 */
export async function createTable(schema: Schema, name: string, definition: TableDefinition): Promise<void> {
  const statements = schema.engine === 'mysql' ? mysqlStatements(name, definition) : sqliteStatements(name, definition);
  for (const sql of statements) await schema.execute(sql);
}

/** Adds a column if it is missing, so that a migration that was killed half-way can run again. */
export async function addColumn(schema: Schema, table: string, column: string, type: ColumnType): Promise<void> {
  if (await hasColumn(schema, table, column)) return;
  await schema.execute(`ALTER TABLE \`${table}\` ADD COLUMN \`${column}\` ${type[schema.engine]}`);
}

export async function hasColumn(schema: Schema, table: string, column: string): Promise<boolean> {
  const columns =
    schema.engine === 'mysql'
      ? 'information_schema.columns WHERE table_schema = DATABASE() AND table_name = ? AND column_name = ?'
      : 'pragma_table_info(?) WHERE name = ?';
  return (await schema.query(`SELECT 1 AS one FROM ${columns}`, [table, column])).length > 0;
}

/** Adds an index if it is missing, so that a migration that was killed half-way can run again. */
export async function addIndex(schema: Schema, table: string, columns: readonly string[]): Promise<void> {
  const name = indexName(table, columns);
  if (schema.engine === 'sqlite') {
    await schema.execute(`CREATE INDEX IF NOT EXISTS \`${name}\` ON \`${table}\` ${list(columns)}`);
  } else if (!(await hasMysqlIndex(schema, table, name))) {
    await schema.execute(`ALTER TABLE \`${table}\` ADD KEY \`${name}\` ${list(columns)}`);
  }
}

/** An index to add. */
export interface IndexDefinition {
  readonly columns: readonly string[];
  /** On SQLite, the index leaves out rows whose first column is NULL. MySQL has no such indexes. */
  readonly onlyGiven?: true;
}

/**
 * Adds indexes and drops others, unless the first one is there. MySQL does it in one statement, which reads the table
 * once and has no effect if it is killed.
 */
export async function replaceIndexes(
  schema: Schema,
  table: string,
  { add, drop = [] }: { readonly add: readonly IndexDefinition[]; readonly drop?: readonly (readonly string[])[] },
): Promise<void> {
  const names = add.map(({ columns }) => indexName(table, columns));
  if (schema.engine === 'sqlite') {
    for (const [index, { columns, onlyGiven }] of add.entries()) {
      const where = onlyGiven ? ` WHERE \`${columns[0]}\` IS NOT NULL` : '';
      await schema.execute(`CREATE INDEX IF NOT EXISTS \`${names[index]}\` ON \`${table}\` ${list(columns)}${where}`);
    }
    for (const columns of drop) await schema.execute(`DROP INDEX IF EXISTS \`${indexName(table, columns)}\``);
  } else if (!(await hasMysqlIndex(schema, table, names[0]!))) {
    const added = add.map(({ columns }, index) => `ADD KEY \`${names[index]}\` ${list(columns)}`);
    const dropped = drop.map((columns) => `DROP KEY \`${indexName(table, columns)}\``);
    await schema.execute(`ALTER TABLE \`${table}\` ${[...added, ...dropped].join(', ')}`);
  }
}

/**
 * Replaces indexes of MySQL by indexes with the same names and columns, of which one descends. One statement, which has no
 * effect if it is killed. MariaDB before 10.8 ignores DESC.
 */
export async function descendIndexes(
  schema: Schema,
  table: string,
  descending: string,
  indexes: readonly (readonly string[])[],
): Promise<void> {
  if (schema.engine === 'sqlite') return;
  const replaced = indexes.flatMap((columns) => {
    const name = indexName(table, columns);
    const parts = columns.map((column) => `\`${column}\`${column === descending ? ' DESC' : ''}`);
    return [`DROP KEY \`${name}\``, `ADD KEY \`${name}\` (${parts.join(', ')})`];
  });
  await schema.execute(`ALTER TABLE \`${table}\` ${replaced.join(', ')}`);
}

/** MySQL has no IF NOT EXISTS for indexes. */
async function hasMysqlIndex(schema: Schema, table: string, name: string): Promise<boolean> {
  return (await schema.query(`SHOW INDEX FROM \`${table}\` WHERE Key_name = ?`, [name])).length > 0;
}

function indexName(table: string, columns: readonly string[]): string {
  return `${table}_${columns.join('_')}_index`;
}

function mysqlStatements(name: string, definition: TableDefinition): string[] {
  const { columns, primaryKey, unique = [], indexes = [], owner } = definition;
  const parts = [
    ...Object.entries(columns).map(([column, type]) => `\`${column}\` ${type.mysql}`),
    `PRIMARY KEY ${list(primaryKey)}`,
    ...unique.map((key) => `UNIQUE KEY \`${name}_${key.join('_')}_unique\` ${list(key)}`),
    ...indexes.map((key) => `KEY \`${indexName(name, key)}\` ${list(key)}`),
    ...foreignKey(owner),
  ];
  return [
    `CREATE TABLE IF NOT EXISTS \`${name}\` (${parts.join(', ')}) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin`,
  ];
}

// STRICT rejects values of another type than the column's, for example a string instead of bytes. MySQL does so too.
function sqliteStatements(name: string, definition: TableDefinition): string[] {
  const { columns, primaryKey, unique = [], indexes = [], owner } = definition;
  const parts = [
    ...Object.entries(columns).map(([column, type]) => `\`${column}\` ${type.sqlite}`),
    `PRIMARY KEY ${list(primaryKey)}`,
    ...unique.map((key) => `UNIQUE ${list(key)}`),
    ...foreignKey(owner),
  ];
  return [
    `CREATE TABLE IF NOT EXISTS \`${name}\` (${parts.join(', ')}) STRICT`,
    ...indexes.map((key) => `CREATE INDEX IF NOT EXISTS \`${indexName(name, key)}\` ON \`${name}\` ${list(key)}`),
  ];
}

function foreignKey(owner: TableDefinition['owner']): string[] {
  if (!owner) return [];
  return [`FOREIGN KEY ${list(owner.columns)} REFERENCES \`${owner.table}\` ${list(owner.key)} ON DELETE CASCADE`];
}

function list(columns: readonly string[]): string {
  return `(${columns.map((column) => `\`${column}\``).join(', ')})`;
}
