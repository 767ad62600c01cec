import { isOver, type Deadline } from '../clock.ts';
import { unavailable } from './errors.ts';
import type { Statements } from './types.ts';

/** One connection of either engine, reserved for a transaction. */
export interface TransactionSession extends Statements {
  begin(): Promise<void>;
  /** Commits. Rejects if the deadline has passed when the engine runs the commit. */
  commit(deadline: Deadline): Promise<void>;
  rollback(): Promise<void>;
  /** Marks the connection as unusable. */
  discard(): void;
}

/** Runs `work` in a transaction of the session; implements Database.transaction. */
export async function runTransaction<T>(
  session: TransactionSession,
  deadline: Deadline,
  work: (tx: Statements) => Promise<T>,
): Promise<T> {
  refuseAfter(deadline);
  const statements = revocable(session);
  try {
    await session.begin();
    const result = await work(statements.tx);
    statements.revoke();
    refuseAfter(deadline);
    await session.commit(deadline);
    return result;
  } catch (error) {
    statements.revoke();
    // A failed statement, for example after a lock timeout, leaves the transaction open with part of its work.
    await session.rollback().catch(() => session.discard());
    throw error;
  }
}

/** Throws DependencyUnavailableError if the caller no longer waits for the response. */
export function refuseAfter(deadline: Deadline): void {
  if (isOver(deadline)) throw unavailable('the deadline of the call has passed');
}

/** Prevents statements of an ended transaction from running in the connection's next one. */
function revocable(session: Statements): { tx: Statements; revoke(): void } {
  let open = true;
  const check = () => {
    if (!open) throw new TypeError('The transaction has ended');
  };
  return {
    tx: {
      async query(sql, values) {
        check();
        return session.query(sql, values);
      },
      async execute(sql, values) {
        check();
        return session.execute(sql, values);
      },
    },
    revoke: () => {
      open = false;
    },
  };
}
