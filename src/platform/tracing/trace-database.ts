import type { Database, Statements } from '../db/types.ts';
import type { Tracer } from './tracer.ts';

/** The operation and the first table of an SQL statement. */
interface StatementName {
  readonly operation: string;
  readonly table: string;
}

/** Statements differ only in the length of their lists, so a few hundred texts occur. */
const MAX_CACHED = 1_000;
const OPERATION = /^[\s(]*(\w+)/;
const TABLE = /\b(?:FROM|INTO|UPDATE|STRAIGHT_JOIN)\s+`?(?!JSON_TABLE\b)(\w+)/i;

const names = new Map<string, StatementName>();

/** Returns the name of a statement: `SELECT` and `accounts`. The text of the statement stays out of spans. */
export function statementName(sql: string): StatementName {
  let name = names.get(sql);
  if (name === undefined) {
    name = { operation: OPERATION.exec(sql)?.[1]?.toUpperCase() ?? 'SQL', table: TABLE.exec(sql)?.[1] ?? 'none' };
    if (names.size >= MAX_CACHED) names.clear();
    names.set(sql, name);
  }
  return name;
}

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
