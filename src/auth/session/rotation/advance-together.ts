// On MySQL and MariaDB, concurrent refreshes of different sessions share a statement and its commit. The server reports
// only how many rows it changed. If some are missing, the rows are read: each winner finds its own verifier. The others, whose
// rows may have been locked, get statements of their own.
import { UNLIMITED, type Deadline } from '../../../platform/clock.ts';
import { withTimeout } from '../../../platform/concurrency/with-timeout.ts';
import { hadNoEffect, unavailable, withUnknownOutcome } from '../../../platform/db/errors.ts';
import { createGroupCommit, type Member } from '../../../platform/db/group-commit.ts';
import type { Tracer } from '../../../platform/tracing/tracer.ts';
import type { Rotation, Session } from '../session.ts';
import type { RefreshToken } from '../transport/transport-policy.ts';

/** The advance of one session. */
export interface Advance {
  /** The session as it was read. */
  readonly session: Session;
  readonly next: RefreshToken;
  readonly rotation: Rotation;
  readonly deadline: Deadline;
}

/** Maximum number of sessions of one statement. */
export const MAX_ADVANCES = 64;

type Members = readonly Member<Advance>[];

/** How long a group delays the next one. It takes longer if a row is locked, or if its connection has failed. */
const LONGEST_DELAY_MS = 50;

/** Returns a function like `advanceOne`. A single refresh has its own statement. */
export function createAdvanceTogether(options: {
  readonly advanceOne: (advance: Advance) => Promise<boolean>;
  /** Advances at most MAX_ADVANCES different sessions in one statement. Returns how many it advanced. */
  readonly advanceAll: (advances: readonly Advance[]) => Promise<number>;
  /** Concurrent calls share a query. */
  readonly findBySelector: (selector: Buffer) => Promise<Session | undefined>;
  readonly tracer: Tracer | undefined;
}): (advance: Advance) => Promise<boolean> {
  const { advanceOne, findBySelector, tracer } = options;

  async function advanceEach(members: Members): Promise<void> {
    await Promise.all(
      members.map(({ write, resolve, reject }) => advanceOne(write).then((isDone) => resolve(Number(isDone)), reject)),
    );
  }

  async function advanceAll(members: Members): Promise<void> {
    if (members.length < 2) return advanceEach(members);
    try {
      const changed = await options.advanceAll(members.map(({ write }) => write));
      const isDone = changed === members.length ? members.map(() => true) : await readOutcomes(members);
      for (const { resolve } of members.filter((_, index) => isDone[index])) resolve(1);
      await advanceEach(members.filter((_, index) => !isDone[index]));
    } catch (error) {
      // The statement commits by itself, so the server has undone it as a whole.
      if (hadNoEffect(error)) return advanceEach(members);
      for (const { reject } of members) reject(error);
    }
  }

  /** No other process can have replaced a verifier meanwhile, because no client has its token. */
  async function readOutcomes(members: Members): Promise<readonly boolean[]> {
    const read = members.map(async ({ write: { session, next } }) => {
      const stored = await findBySelector(session.selector);
      return stored?.generation === next.generation && stored.verifierHash.equals(next.verifierHash);
    });
    return Promise.all(read).catch(() => {
      throw withUnknownOutcome(unavailable('the renewed sessions could not be read'));
    });
  }

  const groups = createGroupCommit<Advance>({
    maxMembers: MAX_ADVANCES,
    tracer,
    async commit(members) {
      const [first, repeated] = distinct(members);
      const work = advanceAll(first).then(() => advanceEach(repeated));
      await withTimeout(work, LONGEST_DELAY_MS, () => new Error('the group takes long')).catch(() => undefined);
    },
  });

  return async (advance) => {
    const { session, rotation } = advance;
    // The origin of a session never changes. So only a session without one needs the condition on it.
    const claimsOrigin = rotation.origin !== undefined && rotation.origin !== session.origin;
    if (claimsOrigin) return advanceOne(advance);
    // The statements check the deadline.
    return (await groups.run(advance, UNLIMITED)) > 0;
  };
}

/** Separates the first refresh of each session. */
function distinct(members: Members): readonly [first: Members, repeated: Members] {
  const first = new Map<string, Member<Advance>>();
  const repeated: Member<Advance>[] = [];
  for (const member of members) {
    const { id } = member.write.session;
    if (first.has(id)) repeated.push(member);
    else first.set(id, member);
  }
  return [[...first.values()], repeated];
}
