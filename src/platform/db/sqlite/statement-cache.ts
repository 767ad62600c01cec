import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { MAX_PREPARED_STATEMENTS } from '../limits.ts';
import { compileLiteral } from '../object-literal.ts';
import type { Row, StoredValue } from '../types.ts';

/** Returns a function that prepares each SQL text once. */
export function statementCache(db: DatabaseSync): (sql: string) => PreparedStatement {
  const statements = new Map<string, PreparedStatement>();
  return (sql) => {
    let statement = statements.get(sql);
    if (!statement) {
      statement = new PreparedStatement(db.prepare(sql));
      const [oldest] = statements.keys();
      if (oldest !== undefined && statements.size >= MAX_PREPARED_STATEMENTS) statements.delete(oldest);
      statements.set(sql, statement);
    }
    return statement;
  };
}

/** A prepared statement. The objects that the driver creates take longer than arrays and literals: each is a dictionary. */
export class PreparedStatement {
  readonly #statement: StatementSync;
  #columns = -1;
  #toRow: (values: object) => Row = () => ({});

  constructor(statement: StatementSync) {
    statement.setReturnArrays(true);
    this.#statement = statement;
  }

  /** Returns the rows of a SELECT. Throws SQLite's own errors. */
  rows(values: readonly StoredValue[]): Row[] {
    const arrays = this.#statement.all(...values) as unknown as StoredValue[][];
    if (arrays.length === 0) return [];
    // SQLite prepares `SELECT *` again if a migration adds a column.
    if (arrays[0]!.length !== this.#columns) this.#compile(arrays[0]!.length);
    return arrays.map((array) => this.#toRow(array));
  }

  /** Runs a write and returns the number of changed rows. Throws SQLite's own errors. */
  change(values: readonly StoredValue[]): number {
    return Number(this.#statement.run(...values).changes);
  }

  #compile(columns: number): void {
    const names = this.#statement.columns().map(({ name }) => name);
    this.#toRow = compileLiteral(names.map((name, source) => ({ name, source }))) as (values: object) => Row;
    this.#columns = columns;
  }
}
