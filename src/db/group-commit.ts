// Writes that share a commit. Making a commit durable costs many times what writing a row costs, so writes that wait at the same
// moment are carried out together, and each is answered only when that commit is on the disk. Nobody waits for company: a group
// is those that came in one turn of the event loop, and those that came while the group before them was being written.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isOver, type Deadline } from '../clock.ts';
import { unavailable } from './errors.ts';

/** A write that waits, and what becomes of it. */
export interface Member<Write> {
  readonly write: Write;
  readonly deadline: Deadline;
  /** Takes how many rows it changed. */
  resolve(changed: number): void;
  reject(error: unknown): void;
}

export interface GroupCommit<Write> {
  /**
   * Carries a write out with others; resolves to how many rows it changed, once it is committed. Rejects with
   * DependencyUnavailableError, and nothing was written, where its caller has gone or its deadline has passed by then, and where
   * too many wait.
   */
  run(write: Write, deadline: Deadline): Promise<number>;
  /** Resolves when all writes that were handed in before have been through `commit`, and before any later one is. */
  barrier(): Promise<void>;
}

/** Beyond it, what comes is refused at once: it would wait for seconds. */
export const MAX_WAITING = 4_096;

/**
 * @param options.maxMembers The most writes of a group, so that none waits long for the others.
 * @param options.commit Carries a group out and settles each of its members, in any order; one group at a time, in the order in
 *   which the members came. What it rejects with, its members are rejected with.
 */
export function createGroupCommit<Write>(options: {
  readonly maxMembers: number;
  readonly commit: (members: readonly Member<Write>[]) => Promise<void>;
}): GroupCommit<Write> {
  const { maxMembers, commit } = options;
  const waiting: (Member<Write> | Barrier)[] = [];
  let draining = false;

  /** The next members, up to the next barrier. */
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
    run(write, deadline) {
      if (waiting.length >= MAX_WAITING) return Promise.reject(unavailable('too many writes are waiting'));
      return new Promise((resolve, reject) => {
        waiting.push({ write, deadline, resolve, reject });
        if (!draining) void drain();
      });
    },
    async barrier() {
      if (draining) await new Promise<void>((pass) => waiting.push({ pass }));
    },
  };
}

/** A place in the queue that no group reaches across. */
interface Barrier {
  pass(): void;
}

/** Refuses the members that nobody waits for any more, and returns the others. */
export function takeLive<Write>(members: readonly Member<Write>[]): Member<Write>[] {
  return members.filter(({ deadline, reject }) => {
    if (!isOver(deadline)) return true;
    reject(unavailable('the deadline of the call has passed'));
    return false;
  });
}
