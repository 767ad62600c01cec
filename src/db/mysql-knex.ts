import MysqlDialect from 'knex/lib/dialects/mysql2/index.js';
import { STATEMENT_TIMEOUT_MS } from './limits.ts';
import { send, type MysqlConnection, type MysqlResult } from './mysql-connection.ts';

interface KnexQuery {
  sql: string;
  bindings?: unknown[];
  response?: MysqlResult;
}

/** knex's MySQL dialect over our own connections: the same time limits and safe errors for composed queries. */
export class MysqlClient extends MysqlDialect {
  /** How long a statement may take, in milliseconds. */
  get statementTimeoutMs(): number {
    // A getter, because knex copies the prototype but no fields for the client of a transaction.
    return STATEMENT_TIMEOUT_MS;
  }

  async _query(connection: MysqlConnection, query: KnexQuery): Promise<KnexQuery> {
    query.response = await send(connection, 'query', query.sql, query.bindings ?? [], this.statementTimeoutMs);
    return query;
  }
}

/** The same for migrations, which may have to rebuild large tables. */
export class PatientMysqlClient extends MysqlClient {
  override get statementTimeoutMs(): number {
    return 24 * 3_600_000;
  }
}
