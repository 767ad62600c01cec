// One database server: its requirements, its clock, and connections to it.
import type { Logger } from 'pino';
import { unavailable } from '../errors.ts';
import { CONNECTION_CHECK_MS, CONNECT_TIMEOUT_MS, STATEMENT_TIMEOUT_MS } from '../limits.ts';
import { createClockOffset, type ClockOffset } from './clock-offset.ts';
import { discard, openConnection, send, type MysqlConnection } from './connection.ts';
import { createStatementEnder } from './end-on-server.ts';
import type { ChosenHost } from './hosts.ts';
import { checkMajority, readNodeState } from './node-state.ts';
import { checkServer } from './server-check.ts';
import type { HostTarget } from './target.ts';

const READ_CLOCK = 'SELECT CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED) AS now';

export interface Server extends ChosenHost {
  readonly target: HostTarget;
  readonly clock: ClockOffset;
  /** Measures the server's clock. */
  measure(connection: MysqlConnection, timeoutMs: number): Promise<void>;
  /** Stops background work. */
  close(): void;
}

/** @param mustBeWritable Whether a read-only or outdated server is refused. */
export function createServer(target: HostTarget, mustBeWritable: boolean, log: Logger): Server {
  const clock = createClockOffset();
  const ender = createStatementEnder(target, log);
  let isSuitable = false;

  const measure = (connection: MysqlConnection, timeoutMs: number) =>
    clock.measure(async () => {
      const [rows] = await send(connection, 'query', READ_CLOCK, [], timeoutMs);
      return (rows as { now: number }[])[0]!.now;
    });

  return {
    target,
    address: target.address,
    clock,
    measure,
    async check(connection) {
      const run = async (sql: string) => (await send(connection, 'query', sql, [], CONNECTION_CHECK_MS))[0];
      const state = await readNodeState(run);
      if (state.problem !== undefined) throw unavailable(state.problem);
      await checkMajority(state, run);
    },
    async open(connectMs) {
      const statementMs = connectMs < CONNECT_TIMEOUT_MS ? connectMs : STATEMENT_TIMEOUT_MS;
      if (!isSuitable) await checkServer(target, log, { connectMs, statementMs });
      isSuitable = true;
      const { endOnServer } = ender;
      const connection = await openConnection(target.connection, {
        connectMs,
        statementMs,
        endOnServer,
        mustBeWritable,
      });
      connection.clock = clock;
      try {
        if (clock.isStale()) await measure(connection, statementMs);
        return connection;
      } catch (error) {
        discard(connection, 'not opened');
        throw error;
      }
    },
    close: ender.close,
  };
}
