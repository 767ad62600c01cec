// Prepares statements once per connection, and runs them by ExecuteCommand, or by mysql2 itself if that has other members.
import type { Connection, PrepareStatementInfo, QueryError } from 'mysql2';
import { MAX_PREPARED_STATEMENTS } from '../limits.ts';
import { privateMembers } from '../../private-members.ts';
import { checkMembers, EXECUTE_COMMAND } from './command-members.ts';
import {
  type CommandConnection,
  ExecuteCommand,
  type ExecuteResult,
  type KnownResult,
  type OnResult,
} from './execute-command.ts';
import { type ParameterDefinition, executePacket } from './execute-packet.ts';

/** Members of mysql2's prepared statement that its types leave out. */
interface Prepared extends PrepareStatementInfo {
  readonly id: number;
  readonly parameters: readonly ParameterDefinition[];
}

interface Statement {
  readonly id: number;
  readonly parameters: readonly ParameterDefinition[];
  readonly known: KnownResult;
  /** The number of its last use. */
  lastUse: number;
}

/** The transaction of a connection. */
export interface TransactionState {
  /** Whether its server is a node of a cluster, whose other nodes can end the transaction. */
  isOfCluster?: boolean;
  /** Whether a transaction has begun and not ended. */
  isInTransaction?: boolean;
}

type PreparingConnection = Connection & CommandConnection & TransactionState;
type Execute = (sql: string, values: readonly unknown[], onResult: OnResult) => void;

const SAVEPOINT = 'SAVEPOINT before_preparation';
const RELEASE = 'RELEASE SAVEPOINT before_preparation';
const ER_SP_DOES_NOT_EXIST = 1305;
const ROLLED_BACK = { code: 'ER_LOCK_DEADLOCK', errno: 1213 };

/** The columns of statements, of all connections. All have the same options, on which the reading of rows depends. */
const knownResults = new Map<string, KnownResult>();

function knownResultOf(sql: string): KnownResult {
  const known = knownResults.get(sql);
  if (known !== undefined) return known;
  if (knownResults.size >= MAX_PREPARED_STATEMENTS) knownResults.delete(knownResults.keys().next().value!);
  const created: KnownResult = { columns: undefined };
  knownResults.set(sql, created);
  return created;
}

/** mysql2 must keep more statements, so that it does not close one that is used here. */
export const MYSQL2_PREPARED_STATEMENTS = 2 * MAX_PREPARED_STATEMENTS;

export interface PreparedStatements {
  /** Runs a statement. It is prepared first, if the connection has not done that. */
  readonly execute: Execute;
}

export function createPreparedStatements(connection: Connection & TransactionState): PreparedStatements {
  const target = connection as PreparingConnection;
  const statements = new Map<string, Statement>();
  let uses = 0;

  function run(statement: Statement, values: readonly unknown[], onResult: OnResult): void {
    uses += 1;
    statement.lastUse = uses;
    let request;
    try {
      request = executePacket(statement.id, values, statement.parameters);
    } catch (error) {
      onResult(error as Error);
      return;
    }
    target.addCommand(new ExecuteCommand(request, statement.known, onResult));
  }

  function forgetOldest(): void {
    let oldest: string | undefined;
    let lastUse = Infinity;
    for (const [sql, statement] of statements) {
      if (statement.lastUse >= lastUse) continue;
      oldest = sql;
      ({ lastUse } = statement);
    }
    statements.delete(oldest!);
    connection.unprepare(oldest!);
  }

  function prepareAndRun(sql: string, values: readonly unknown[], onResult: OnResult): void {
    connection.prepare(sql, (error: QueryError | null, prepared) => {
      if (error) return onResult(error);
      const members = privateMembers<Prepared>(prepared, ['id', 'parameters'], EXECUTE_COMMAND);
      if (members === undefined) return runByLibrary(sql, values, onResult);
      const { id, parameters } = members;
      if (statements.size >= MAX_PREPARED_STATEMENTS && !statements.has(sql)) forgetOldest();
      const created = { id, parameters, known: knownResultOf(sql), lastUse: 0 };
      statements.set(sql, created);
      run(created, values, onResult);
    });
  }

  const runByLibrary: Execute = (sql, values, onResult) =>
    void connection.execute(sql, values as string[], (error, result) => onResult(error, result as ExecuteResult));

  const runUnprepared: Execute = (sql, values, onResult) =>
    checkMembers(target, (error, hasAll) => {
      if (error) return onResult(error);
      return hasAll ? prepareAndRun(sql, values, onResult) : runByLibrary(sql, values, onResult);
    });

  /**
   * Runs a statement that is not prepared, in a transaction that another node of a cluster can end. Galera of MariaDB 10.11 does not
   * report an end that comes during the preparation: later statements would run, and commit, in a new transaction.
   */
  const runInSavepoint: Execute = (sql, values, onResult) =>
    connection.query(SAVEPOINT, (error) => {
      if (error) return onResult(error);
      runUnprepared(sql, values, (failed, result) => {
        if (failed) return onResult(failed);
        connection.query(RELEASE, (lost: QueryError | null) => onResult(lost && asRolledBack(lost), result));
      });
    });

  return {
    execute(sql, values, onResult) {
      const statement = statements.get(sql);
      if (statement !== undefined) return run(statement, values, onResult);
      const isFragile = connection.isOfCluster === true && connection.isInTransaction === true;
      (isFragile ? runInSavepoint : runUnprepared)(sql, values, onResult);
    },
  };
}

/** The end of a savepoint by the end of its transaction, as the error that the server did not report. */
function asRolledBack(error: QueryError): Error {
  return error.errno === ER_SP_DOES_NOT_EXIST ? Object.assign(error, ROLLED_BACK) : error;
}
