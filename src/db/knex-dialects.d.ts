// knex ships no types for its dialects; this is the part of them that our two extend.
declare module 'knex/lib/dialects/better-sqlite3/index.js' {
  import type { Knex } from 'knex';
  export default class SqliteClient extends Knex.Client {
    /** Brings bindings into the form that drivers accept. */
    _formatBindings(bindings: readonly unknown[] | undefined): unknown[];
  }
}

declare module 'knex/lib/dialects/sqlite3/execution/sqlite-transaction.js' {
  export default class SqliteTransaction {
    constructor(client: unknown, ...options: unknown[]);
    query(connection: unknown, sql: string): Promise<unknown>;
    begin(connection: unknown): Promise<unknown>;
  }
}

declare module 'knex/lib/dialects/mysql2/index.js' {
  import type { Knex } from 'knex';
  export default class MysqlClient extends Knex.Client {}
}
