// Cancels statements on the server over a separate connection. MySQL's own limit cancels SELECT only.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DatabaseError } from '../errors.ts';
import { END_ON_SERVER_TIMEOUT_MS, STATEMENT_TIMEOUT_MS } from '../limits.ts';
import { connect, discard, send, type EndOnServer, type MysqlConnection } from './connection.ts';
import type { HostTarget } from './target.ts';

const PAUSE_MS = 500;

// A named lock identifies the connection on any server. A connection number may belong to another connection after a
// restart or behind a proxy. IS_USED_LOCK is NULL if the connection has ended, and KILL refuses NULL. Every user may
// cancel its own statements.
const KILL = 'KILL QUERY IS_USED_LOCK(?)';

/** Uses one connection for all statements, because few connections may be left when statements hang. */
export function createStatementEnder({ connection: options }: HostTarget, log: Logger) {
  /** The locks of the connections with statements to cancel, and until when (performance.now()) to retry. */
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
        if (failures === 0)
          log.warn({ reason: (error as Error).message }, 'a statement cannot be ended on the database server yet');
        for (const [lock, until] of waiting) if (performance.now() > until) waiting.delete(lock);
        await sleep(PAUSE_MS, undefined, { signal: closing.signal }).catch(() => {});
      }
    }
  }

  /** Returns at once. If the server is unreachable, retries for END_ON_SERVER_TIMEOUT_MS. */
  const endOnServer: EndOnServer = (lock) => {
    waiting.set(lock, performance.now() + END_ON_SERVER_TIMEOUT_MS);
    if (working) return;
    working = true;
    void work().finally(() => (working = false));
  };
  /** Stops all retries. */
  const close = () => closing.abort();
  return { endOnServer, close };
}

async function kill(connection: MysqlConnection, lock: string): Promise<void> {
  try {
    await send(connection, 'query', KILL, [lock], STATEMENT_TIMEOUT_MS);
  } catch (error) {
    // A DatabaseError here means that the connection no longer exists.
    if (!(error instanceof DatabaseError)) throw error;
  }
}
