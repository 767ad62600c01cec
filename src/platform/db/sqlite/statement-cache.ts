import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { MAX_PREPARED_STATEMENTS } from '../limits.ts';

/** Returns a function that prepares each SQL text once. */
export function statementCache(db: DatabaseSync): (sql: string) => StatementSync {
  const statements = new Map<string, StatementSync>();
  return (sql) => {
    let statement = statements.get(sql);
    if (!statement) {
      statement = db.prepare(sql);
      const [oldest] = statements.keys();
      if (oldest !== undefined && statements.size >= MAX_PREPARED_STATEMENTS) statements.delete(oldest);
      statements.set(sql, statement);
    }
    return statement;
  };
}
