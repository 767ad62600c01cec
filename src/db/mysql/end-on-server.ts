// Ends statements on the server, over a connection of its own: MySQL's own limit ends SELECT only.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DatabaseError } from '../errors.ts';
import { END_ON_SERVER_TIMEOUT_MS, STATEMENT_TIMEOUT_MS } from '../limits.ts';
import { connect, discard, send, type EndOnServer, type MysqlConnection } from './connection.ts';
import type { MysqlTarget } from './target.ts';

const PAUSE_MS = 500;

// A lock's holder is the right connection on any server, where its number may be another's: after a restart, behind a proxy.
// IS_USED_LOCK is NULL if the connection has ended, and KILL refuses that. Every user may end statements of its own.
const KILL = 'KILL QUERY IS_USED_LOCK(?)';

export interface StatementEnder {
  /** Returns at once; what cannot be reached is tried again for END_ON_SERVER_TIMEOUT_MS. */
  readonly endOnServer: EndOnServer;
  /** Gives up the rest. */
  close(): void;
}

/** Uses one connection at a time for all statements: there may be few left when statements hang. */
export function createStatementEnder({ connection: options }: MysqlTarget, log: Logger): StatementEnder {
  /** The locks of the connections whose statements are to be ended, and until when (performance.now()) to try. */
  const waiting = new Map<string, number>();
  const closing = new AbortController();
  let working = false;

  async function endAll(): Promise<void> {
    const connection = await connect(options);
    try {
      for (const lock of waiting.keys()) {
        await kill(connection, lock);
        waiting.delete(lock);
      }
    } finally {
      discard(connection, 'closed');
    }
  }

  async function work(): Promise<void> {
    for (let failures = 0; waiting.size > 0 && !closing.signal.aborted; failures += 1) {
      try {
        await endAll();
      } catch (error) {
        if (failures === 0) log.warn({ err: error }, 'a statement cannot be ended on the database server yet');
        for (const [lock, until] of waiting) if (performance.now() > until) waiting.delete(lock);
        await sleep(PAUSE_MS, undefined, { signal: closing.signal }).catch(() => {});
      }
    }
  }

  return {
    endOnServer(lock) {
      waiting.set(lock, performance.now() + END_ON_SERVER_TIMEOUT_MS);
      if (working) return;
      working = true;
      void work().finally(() => {
        working = false;
      });
    },
    close: () => closing.abort(),
  };
}

async function kill(connection: MysqlConnection, lock: string): Promise<void> {
  try {
    await send(connection, 'query', KILL, [lock], STATEMENT_TIMEOUT_MS);
  } catch (error) {
    // The server's answer that there is no such connection any more.
    if (!(error instanceof DatabaseError)) throw error;
  }
}
