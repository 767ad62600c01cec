import SqliteDialect from 'knex/lib/dialects/better-sqlite3/index.js';
import SqliteTransaction from 'knex/lib/dialects/sqlite3/execution/sqlite-transaction.js';
import type { SQLInputValue } from 'node:sqlite';
import { MIGRATION_LOCK_TIMEOUT_MS } from '../limits.ts';
import type { SqliteConnection } from './connection.ts';
import { createLockQueue, unlessLocked } from './lock.ts';

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

/** knex's better-sqlite3 dialect over node:sqlite. It keeps its connection while it waits for the file: only migrations write. */
export class SqliteClient extends SqliteDialect {
  _driver(): object {
    return {};
  }

  override transaction(container: unknown, config: unknown, outerTx: unknown): never {
    return new ImmediateTransaction(this, container, config, outerTx) as never;
  }

  async _query(connection: SqliteConnection, query: KnexQuery): Promise<KnexQuery> {
    const attempt = async () => unlessLocked(() => answer(connection, query, this._formatBindings(query.bindings)));
    // In a queue of its own: those who wait without a connection may be waiting for this one.
    return createLockQueue().run(attempt, MIGRATION_LOCK_TIMEOUT_MS);
  }
}

function answer({ db }: SqliteConnection, query: KnexQuery, bindings: readonly unknown[]): KnexQuery {
  const statement = db.prepare(query.sql);
  const values = bindings as SQLInputValue[];
  if (statement.columns().length > 0) {
    query.response = statement.all(...values);
  } else {
    const { lastInsertRowid, changes } = statement.run(...values);
    query.response = [];
    query.context = { lastID: lastInsertRowid, changes };
  }
  return query;
}
