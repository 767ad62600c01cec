// Follows the revocations of all processes for the streams of this one. One poller serves all streams, and only runs while there are
// some. Transactions commit out of order, so it looks again at the last half minute, which is longer than any transaction of the
// service. It counts the rows there, and reads them only if the number is not the expected one.
import type { Logger } from 'pino';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/types.ts';
import { DependencyUnavailableError } from '../../../platform/errors.ts';
import { REAL_TIMING, type Timing } from '../../../platform/timing.ts';
import {
  countRevocations,
  GRANTS_AT_ONCE,
  selectGrants,
  selectRevocationsAfter,
  selectSessions,
  type RecordedRevocation,
  type Revocation,
} from '../../token/revocations.ts';

/** A stream's place in the changes. */
export interface Follower {
  /**
   * Resolves to the next changes, or to none after the next look at the database. Rejects with
   * DependencyUnavailableError if the stream is too slow, the database does not respond or the process stops.
   */
  next(): Promise<readonly Revocation[]>;
  stop(): void;
}

export interface RevocationFeed {
  /** Follows the changes: the follower misses none that is committed after this has resolved. */
  follow(): Promise<Follower>;
}

export interface RevocationFeedOptions {
  readonly database: Pick<Database, 'engine' | 'query' | 'execute' | 'deadlineValue'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborts when the process begins to stop. */
  readonly stopping?: AbortSignal | undefined;
  readonly timing?: Timing;
}

const POLL_MS = 250;
/** Revocations of this age are read at every look, in milliseconds. */
const RECENT_MS = 2_000;
/** Longer than the longest transaction and the difference of the clocks of a cluster. */
const WINDOW_MS = 30_000;
/** Revocations of the window that are kept in memory: 3,300 each second. */
const MAX_KNOWN = 100_000;
/** Accounts whose sessions one statement looks up. */
export const ACCOUNTS_AT_ONCE = 20;
/** Sessions and grants that one look finds by their accounts and applications. The next look continues. */
const MAX_LOOKED_UP = 5_000;
/** A stream that is so many changes late has to begin again. They are kept once for all streams. */
const MAX_BEHIND = 20_000;
/** Without a look for so long, the streams end: their readers must not believe that nothing was revoked. */
const MAX_BLIND_MS = 5_000;

/** Changes that one look found. They are freed when every follower has passed them. */
interface Link {
  readonly changes: readonly Revocation[];
  /** The number of all changes up to these. */
  readonly total: number;
  next: Link | undefined;
}

export function createRevocationFeed(options: RevocationFeedOptions): RevocationFeed {
  const { database, clock, log, stopping, timing = REAL_TIMING } = options;
  const followers = new Set<{ at: Link; failure: Error | undefined }>();
  let last: Link = { changes: [], total: 0, next: undefined };
  let known = new Map<string, RecordedRevocation>();
  /** Accounts whose sessions have to be looked up. */
  let pending: Revocation[] = [];
  /** Applications whose grants have to be looked up, from the one after `after` on. */
  let applications: { readonly id: string; readonly after: string | undefined }[] = [];
  let looked = Promise.withResolvers<void>();
  let ready: Promise<void> | undefined;

  /** Looks at the database until nobody follows. The first look only learns what is there already. */
  async function run(first: PromiseWithResolvers<void>): Promise<void> {
    known = new Map();
    pending = [];
    applications = [];
    let seenAt = timing.now();
    let isFirst = true;
    do {
      const { total } = last;
      try {
        append(await look(isFirst));
        await lookUpSessions();
        await lookUpGrants();
        isFirst = false;
        seenAt = timing.now();
        first.resolve();
      } catch (error) {
        first.reject(error);
        if (isFirst || timing.now() - seenAt > MAX_BLIND_MS) failAll(error as Error);
      }
      if (stopping?.aborted) failAll(new DependencyUnavailableError('the service stops'));
      // A follower has at least the time between two looks for the changes of one.
      for (const follower of followers)
        if (total - follower.at.total > MAX_BEHIND) fail(follower, new DependencyUnavailableError(TOO_SLOW));
      looked.resolve();
      looked = Promise.withResolvers();
      await timing.sleep(POLL_MS);
    } while (followers.size > 0);
    ready = undefined;
    known = new Map();
  }

  /** Returns the changes that no earlier look has found. */
  async function look(isFirst: boolean): Promise<readonly Revocation[]> {
    const { from, through, count } = await countRevocations(database, { from: WINDOW_MS, through: RECENT_MS });
    let expected = 0;
    for (const [key, { changedAt }] of known) {
      if (changedAt <= from) forget(key);
      else if (changedAt <= through) expected += 1;
    }
    const isComplete = !isFirst && count === expected;
    const found = await selectRevocationsAfter(database, isComplete ? through : from, MAX_KNOWN + 1);
    if (found.length > MAX_KNOWN) {
      log.error({ revocations: MAX_KNOWN, withinMs: WINDOW_MS }, 'more revocations than the feed can follow');
      throw new DependencyUnavailableError(`more than ${MAX_KNOWN} revocations within ${WINDOW_MS} ms`);
    }
    const fresh = found.filter((one) => !isSame(known.get(keyOf(one)), one));
    if (!isComplete) known = new Map();
    for (const one of found) known.set(keyOf(one), one);
    if (isFirst) return [];
    fresh.forEach(postpone);
    return fresh.filter((one) => !isLookedUp(one));
  }

  /** Lets the next steps look up what a revocation stands for. */
  function postpone(one: Revocation): void {
    if (one.kind === 'sessions') pending.push(one);
    if (one.kind === 'grants') applications.push({ id: one.id, after: undefined });
  }

  /** A refresh that began before its session or application ended may have issued a token, so they are looked up once more. */
  function forget(key: string): void {
    postpone(known.get(key)!);
    known.delete(key);
  }

  async function lookUpSessions(): Promise<void> {
    for (let found = 0; pending.length > 0 && found < MAX_LOOKED_UP;) {
      const some = pending.slice(0, ACCOUNTS_AT_ONCE);
      const sessions = await selectSessions(database, some, clock());
      pending = pending.slice(some.length);
      append(sessions);
      found += sessions.length;
    }
  }

  async function lookUpGrants(): Promise<void> {
    for (let found = 0; applications.length > 0 && found < MAX_LOOKED_UP;) {
      const [{ id, after } = { id: '', after: undefined }, ...others] = applications;
      const grants = await selectGrants(database, id, after, clock());
      applications = grants.length < GRANTS_AT_ONCE ? others : [{ id, after: grants.at(-1)!.id }, ...others];
      append(grants);
      found += grants.length;
    }
  }

  function append(changes: readonly Revocation[]): void {
    if (changes.length === 0) return;
    last = last.next = { changes, total: last.total + changes.length, next: undefined };
  }

  function failAll(failure: Error): void {
    for (const follower of followers) fail(follower, failure);
  }

  function fail(follower: { at: Link; failure: Error | undefined }, failure: Error): void {
    follower.failure ??= failure;
    follower.at = last;
    followers.delete(follower);
  }

  return {
    async follow() {
      if (stopping?.aborted) throw new DependencyUnavailableError('the service stops');
      const follower: { at: Link; failure: Error | undefined } = { at: last, failure: undefined };
      followers.add(follower);
      if (ready === undefined) {
        const first = Promise.withResolvers<void>();
        ready = first.promise;
        void run(first);
      }
      try {
        await ready;
      } catch (error) {
        followers.delete(follower);
        throw error;
      }
      return {
        async next() {
          if (follower.failure === undefined && follower.at.next === undefined) await looked.promise;
          if (follower.failure) throw follower.failure;
          if (follower.at.next === undefined) return [];
          follower.at = follower.at.next;
          return follower.at.changes;
        },
        stop: () => void followers.delete(follower),
      };
    },
  };
}

const TOO_SLOW = 'the stream was read too slowly';

function isLookedUp({ kind }: Revocation): boolean {
  return kind === 'sessions' || kind === 'grants';
}

function keyOf({ kind, id }: Revocation): string {
  return `${kind} ${id}`;
}

function isSame(one: RecordedRevocation | undefined, other: RecordedRevocation): boolean {
  return one !== undefined && one.changedAt === other.changedAt && one.until === other.until;
}
