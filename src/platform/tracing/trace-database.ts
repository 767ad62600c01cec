import type { Database, Statements } from '../db/types.ts';
import { statementName, type StatementName } from './statement-name.ts';
import type { Tracer } from './tracer.ts';

/** Records a span for each statement and each transaction of a call, with the name of the statement only. */
export function traceDatabase(database: Database, tracer: Tracer): Database {
  const engine = { 'db.system.name': database.engine };

  function traceStatement<T>({ operation, table }: StatementName, work: () => Promise<T>): Promise<T> {
    const attributes = { ...engine, 'db.operation.name': operation, 'db.collection.name': table };
    return tracer.trace(`${operation} ${table}`, attributes, work);
  }

  const traceStatements = ({ query, execute }: Statements): Statements => ({
    query: (sql, values) => traceStatement(statementName(sql), () => query(sql, values)),
    execute: (sql, values) => traceStatement(statementName(sql), () => execute(sql, values)),
  });
  return {
    ...database,
    ...traceStatements(database),
    insert(insertion, deadline) {
      const [table = ''] = insertion.into.split(' ');
      return traceStatement({ operation: 'INSERT', table }, () => database.insert(insertion, deadline));
    },
    transaction: (deadline, work) =>
      tracer.trace('transaction', engine, () => database.transaction(deadline, (tx) => work(traceStatements(tx)))),
  };
}
