import type { Deadline } from '../../clock.ts';
import { changeRows, guarded, readRows, type SqliteConnection, type SqliteValues } from './connection.ts';
import { runTransaction, type TransactionSession } from '../transaction.ts';
import type { Statements } from '../types.ts';
import { checkValues } from '../values.ts';

const NONE: SqliteValues = [];

/** Provides the connection of a transaction. */
export interface TransactionSource {
  /** Returns a connection in a new transaction that holds the write lock. */
  begin(): Promise<SqliteConnection>;
  release(connection: SqliteConnection): void;
}

/** Runs `work` in one transaction; implements Database.transaction. */
export async function runSqliteTransaction<T>(
  { begin, release }: TransactionSource,
  deadline: Deadline,
  work: (tx: Statements) => Promise<T>,
): Promise<T> {
  let connection: SqliteConnection | undefined;
  // No statement here finds the file locked: the transaction holds the write lock, and in WAL mode readers do not block
  // a COMMIT.
  const use = <Result>(statement: (begun: SqliteConnection) => Result) => guarded(() => statement(connection!));
  const session: TransactionSession = {
    async query<R>(sql: string, values = NONE) {
      checkValues(values);
      return use((begun) => readRows(begun, sql, values)) as R[];
    },
    async execute(sql, values = NONE) {
      checkValues(values);
      return use((begun) => changeRows(begun, sql, values));
    },
    async begin() {
      connection = await begin();
    },
    commit: async () => use(({ db }) => db.exec('COMMIT')),
    // There is no transaction if it did not begin, or if SQLite has rolled it back, for example because the disk is full.
    rollback: async () => (connection?.db.isTransaction ? use(({ db }) => db.exec('ROLLBACK')) : undefined),
    discard() {
      if (connection) connection.discardedBecause = 'rollback failed';
    },
  };
  try {
    return await runTransaction(session, deadline, work);
  } finally {
    if (connection) release(connection);
  }
}
