import { isOver, type Deadline } from '../clock.ts';
import { unavailable } from './errors.ts';
import type { Statements } from './types.ts';

/** One connection of either engine, reserved for a transaction. */
export interface TransactionSession extends Statements {
  begin(): Promise<void>;
  /** Commits, unless the deadline has passed by the time the engine gets to it (then it rejects). */
  commit(deadline: Deadline): Promise<void>;
  rollback(): Promise<void>;
  /** Makes the connection unfit for further use. */
  discard(): void;
}

/** Runs `work` in a transaction of the session; the contract is Database.transaction. */
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
    // A statement that failed, a lock wait that timed out for example, leaves the transaction open with half of its work.
    await session.rollback().catch(() => session.discard());
    throw error;
  }
}

/** Throws DependencyUnavailableError if nobody waits for an answer any more. */
export function refuseAfter(deadline: Deadline): void {
  if (isOver(deadline)) throw unavailable('the deadline of the call has passed');
}

/** Statements of a transaction that has ended must not slip into the connection's next one. */
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
