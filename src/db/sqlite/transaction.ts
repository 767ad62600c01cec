import type { Deadline } from '../../clock.ts';
import { changeRows, guarded, readRows, type SqliteConnection } from './connection.ts';
import { runTransaction, type TransactionSession } from '../transaction.ts';
import type { SqlValue, Statements } from '../types.ts';
import { checkValues } from '../values.ts';

const NONE: readonly SqlValue[] = [];

/** Where a transaction gets its connection. */
export interface TransactionSource {
  /** A connection in a new transaction that has the write lock. */
  begin(): Promise<SqliteConnection>;
  release(connection: SqliteConnection): void;
}

/** Runs `work` in one transaction; the contract is Database.transaction. */
export async function runSqliteTransaction<T>(
  { begin, release }: TransactionSource,
  deadline: Deadline,
  work: (tx: Statements) => Promise<T>,
): Promise<T> {
  let connection: SqliteConnection | undefined;
  // Nothing in here finds the file locked: the write lock is held, and in WAL mode nobody who reads is in the way of a COMMIT.
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
    // None where it did not begin, or SQLite has rolled back by itself, after a full disk and the like.
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
