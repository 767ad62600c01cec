import MysqlDialect from 'knex/lib/dialects/mysql2/index.js';
import { STATEMENT_TIMEOUT_MS } from '../limits.ts';
import { send, type MysqlConnection, type MysqlResult } from './connection.ts';

interface KnexQuery {
  sql: string;
  bindings?: unknown[];
  /** How it was composed; missing for knex's own BEGIN, COMMIT and the like, which MySQL does not prepare. */
  method?: string;
  response?: MysqlResult;
}

/** knex's MySQL dialect over our own connections: composed queries are prepared, with the same limits and safe errors. */
export class MysqlClient extends MysqlDialect {
  /** Whether composed queries are prepared. */
  get isPreparing(): boolean {
    // Getters, because knex copies the prototype but no fields for the client of a transaction.
    return true;
  }

  /** How long a statement may take, in milliseconds. */
  get statementTimeoutMs(): number {
    return STATEMENT_TIMEOUT_MS;
  }

  async _query(connection: MysqlConnection, query: KnexQuery): Promise<KnexQuery> {
    const method = this.isPreparing && query.method !== undefined ? 'execute' : 'query';
    query.response = await send(connection, method, query.sql, query.bindings ?? [], this.statementTimeoutMs);
    return query;
  }
}

/** The same for migrations: they may have to rebuild large tables, and not all of their statements can be prepared. */
export class PatientMysqlClient extends MysqlClient {
  override get isPreparing(): boolean {
    return false;
  }

  override get statementTimeoutMs(): number {
    return 24 * 3_600_000;
  }
}
