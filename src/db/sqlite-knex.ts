import SqliteDialect from 'knex/lib/dialects/better-sqlite3/index.js';
import SqliteTransaction from 'knex/lib/dialects/sqlite3/execution/sqlite-transaction.js';
import type { SQLInputValue } from 'node:sqlite';
import { guarded, type SqliteConnection } from './sqlite-connection.ts';

interface KnexQuery {
  sql: string;
  bindings?: readonly unknown[];
  response?: unknown;
  context?: { lastID: number | bigint; changes: number | bigint };
}

/** Takes the write lock at once: a transaction that reads first and writes later may find the file locked for good. */
class ImmediateTransaction extends SqliteTransaction {
  override begin(connection: unknown): Promise<unknown> {
    return this.query(connection, 'BEGIN IMMEDIATE;');
  }
}

/** knex's better-sqlite3 dialect over node:sqlite. */
export class SqliteClient extends SqliteDialect {
  _driver(): object {
    return {};
  }

  override transaction(container: unknown, config: unknown, outerTx: unknown): never {
    return new ImmediateTransaction(this, container, config, outerTx) as never;
  }

  async _query(connection: SqliteConnection, query: KnexQuery): Promise<KnexQuery> {
    return guarded(() => {
      const statement = connection.db.prepare(query.sql);
      const bindings = this._formatBindings(query.bindings) as SQLInputValue[];
      if (statement.columns().length > 0) {
        query.response = statement.all(...bindings);
      } else {
        const { lastInsertRowid, changes } = statement.run(...bindings);
        query.response = [];
        query.context = { lastID: lastInsertRowid, changes };
      }
      return query;
    });
  }
}
