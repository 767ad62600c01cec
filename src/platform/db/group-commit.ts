// Group commit: concurrent writes share one commit. A durable commit costs many times more than writing a row. A write
// is acknowledged only when its commit is on the disk. No write waits for later ones. A group contains the
// writes of one turn of the event loop, and those that arrived while the previous group was written.
import { isOver, type Deadline } from '../clock.ts';
import type { Span, Tracer } from '../tracing/tracer.ts';
import { unavailable } from './errors.ts';

/** A waiting write and the functions that settle it. */
export interface Member<Write> {
  readonly write: Write;
  readonly deadline: Deadline;
  /** The caller's span. */
  readonly span?: Span | undefined;
  /** Reports the number of changed rows. */
  resolve(changed: number): void;
  reject(error: unknown): void;
}

/** Maximum number of waiting writes. More would wait for seconds, so they are refused at once. */
export const MAX_WAITING = 4_096;

/**
 * @param options.maxMembers Maximum number of writes in a group, so that none waits long for the others.
 * @param options.commit Runs a group and settles its members in any order. Called for one group at a time, in order of
 *   arrival. If it rejects, all members reject with the same error.
 */
export function createGroupCommit<Write>(options: {
  readonly maxMembers: number;
  readonly commit: (members: readonly Member<Write>[]) => Promise<void>;
  /** Records a span for each group. Default: no spans. */
  readonly tracer?: Tracer | undefined;
}) {
  const { maxMembers, tracer } = options;
  const commit = tracer === undefined ? options.commit : traced(options.commit, tracer);
  const waiting: (Member<Write> | Barrier)[] = [];
  let draining = false;

  /** Returns the next members, up to the next barrier. */
  function takeGroup(): Member<Write>[] {
    const group: Member<Write>[] = [];
    for (const entry of waiting) {
      if ('pass' in entry || group.length === maxMembers) break;
      group.push(entry);
    }
    waiting.splice(0, group.length);
    return takeLive(group);
  }

  function passBarriers(): void {
    for (let first = waiting[0]; first && 'pass' in first; first = waiting[0]) {
      first.pass();
      waiting.shift();
    }
  }

  async function drain(): Promise<void> {
    draining = true;
    while (waiting.length > 0) {
      await nextTurn();
      const group = takeGroup();
      if (group.length > 0) {
        await commit(group).catch((error: unknown) => {
          for (const { reject } of group) reject(error);
        });
      }
      passBarriers();
    }
    draining = false;
  }

  return {
    /**
     * Runs a write together with others. Resolves to the number of changed rows after the commit. Rejects with
     * DependencyUnavailableError, without writing, if its caller has disconnected, its deadline has passed, or too many
     * writes wait.
     */
    run(write: Write, deadline: Deadline): Promise<number> {
      if (waiting.length >= MAX_WAITING) return Promise.reject(unavailable('too many writes are waiting'));
      return new Promise((resolve, reject) => {
        waiting.push({ write, deadline, span: tracer?.current(), resolve, reject });
        if (!draining) void drain();
      });
    },
    /** Resolves when all earlier writes have been through `commit`, and before any later one is. */
    async barrier(): Promise<void> {
      if (draining) await new Promise<void>((pass) => waiting.push({ pass }));
    },
  };
}

/** The span belongs to the trace of the first member and links to those of the others. */
function traced<Write>(commit: (members: readonly Member<Write>[]) => Promise<void>, tracer: Tracer): typeof commit {
  return async (members) => {
    const [first, ...others] = members.flatMap(({ span }) => (span === undefined ? [] : [span]));
    if (first === undefined) return commit(members);
    const attributes = { 'db.operation.batch.size': members.length };
    const links = others.map(({ headers }) => headers);
    const span = tracer.start('group commit', { parent: first.headers, links, attributes });
    await tracer.run(span, () => commit(members)).finally(() => span.end());
  };
}

/** The promise of node:timers costs more. */
const nextTurn = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** A place in the queue that separates groups. */
interface Barrier {
  pass(): void;
}

/** Rejects members whose caller has disconnected or whose deadline has passed. Returns the others. */
export function takeLive<Write>(members: readonly Member<Write>[]): Member<Write>[] {
  return members.filter(({ deadline, reject }) => {
    if (!isOver(deadline)) return true;
    reject(unavailable('the deadline of the call has passed'));
    return false;
  });
}
