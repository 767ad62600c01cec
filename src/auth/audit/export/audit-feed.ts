// Looks for new seals, for all streams of audit records of a process. Runs only while there are streams. Each stream reads its own records,
// because each has its filters; streams with the same filters share a read. Nothing is kept for a stream that reads slowly.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../../platform/db/types.ts';
import { backgroundOf } from '../../../platform/jobs/background.ts';
import { DependencyUnavailableError } from '../../../platform/errors.ts';
import type { AdminScope } from '../../../platform/db/query/tenant-scope.ts';
import type { AuditFilter } from '../trail/audit-filter.ts';
import { lastSequence } from '../seals/seal-store.ts';
import { readSealedRecords, selectSealedAfter, type NextRecords } from '../seals/sealed-record-store.ts';

export type AuditFeed = ReturnType<typeof createAuditFeed>;

const POLL_MS = 500;
/** Reads that are kept while nothing is sealed. */
const MAX_READS = 50;
/** Without a look for so long, the streams end: their readers must not believe that nothing happened. */
const MAX_BLIND_MS = 5_000;

/** A stream. */
interface Follower {
  readonly scope: AdminScope;
  /** Undefined until it is known. */
  place: number | undefined;
  /** Since when there are records after its place: performance.now(). */
  behindSince: number | undefined;
}

export function createAuditFeed(options: {
  readonly database: Database;
  /** Aborts when the process begins to stop. */
  readonly stopping?: AbortSignal | undefined;
}) {
  const { stopping } = options;
  const database = backgroundOf(options.database);
  const followers = new Set<Follower>();
  let seenAt: number | undefined;
  let ready: Promise<void> | undefined;
  let failure: Error | undefined;
  let looked = Promise.withResolvers<void>();
  /** The last place at the beginning, and now. */
  let [first, last] = [0, 0];
  let lastOfTenants = new Map<string, number>();
  /** Reads since the last change, by filter and place. */
  let reads = new Map<string, Promise<NextRecords>>();

  async function run(begun: PromiseWithResolvers<void>): Promise<void> {
    failure = undefined;
    lastOfTenants = new Map();
    reads = new Map();
    seenAt = undefined;
    do {
      try {
        if (seenAt === undefined) first = last = await lastSequence(database, database, 'new');
        else note(await selectSealedAfter(database, last));
        seenAt = performance.now();
        begun.resolve();
      } catch (error) {
        begun.reject(error);
        if (seenAt === undefined || performance.now() - seenAt > MAX_BLIND_MS) failure = error as Error;
      }
      if (stopping?.aborted) failure = new DependencyUnavailableError('the service stops');
      looked.resolve();
      looked = Promise.withResolvers();
      if (failure) break;
      await sleep(POLL_MS);
    } while (followers.size > 0);
    ready = undefined;
  }

  function note(found: ReadonlyMap<string, number>): void {
    if (found.size === 0) return;
    reads = new Map();
    for (const [tenant, sequence] of found) {
      lastOfTenants.set(tenant, sequence);
      last = Math.max(last, sequence);
    }
    for (const follower of followers) update(follower);
  }

  /** Notes whether records of the scope of a stream can be after its place. */
  function update(follower: Follower): boolean {
    const { scope, place = Infinity } = follower;
    const isBehind = place < (scope.everyTenant ? last : (lastOfTenants.get(scope.tenantId ?? '') ?? first));
    follower.behindSince = isBehind ? (follower.behindSince ?? performance.now()) : undefined;
    return isBehind;
  }

  return {
    /** Follows the seals. Rejects with DependencyUnavailableError if the database does not respond. */
    async follow(scope: AdminScope) {
      if (stopping?.aborted) throw new DependencyUnavailableError('the service stops');
      const follower: Follower = { scope, place: undefined, behindSince: undefined };
      followers.add(follower);
      if (ready === undefined) {
        const begun = Promise.withResolvers<void>();
        ready = begun.promise;
        void run(begun);
      }
      const stop = () => {
        followers.delete(follower);
        // A later stream must not get what was erased meanwhile.
        if (followers.size === 0) reads = new Map();
      };
      try {
        await ready;
      } catch (error) {
        stop();
        throw error;
      }
      return {
        /** The last sealed place. */
        last: () => last,
        /** Notes the place of the stream. Returns whether records of its scope can be after it. */
        moveTo(place: number): boolean {
          follower.place = place;
          return update(follower);
        },
        /** Resolves after the next look. Rejects with DependencyUnavailableError if the database did not respond for 5 s. */
        async next(): Promise<void> {
          if (failure) throw failure;
          await looked.promise;
          if (failure) throw failure;
        },
        stop,
      };
    },
    /** Reads records after a place that is not far behind. Streams with the same filter and place share the read. */
    read(filter: AuditFilter, after: number, size: number): Promise<NextRecords> {
      const key = JSON.stringify([filter, after, size]);
      const known = reads.get(key);
      if (known) return known;
      const read = readSealedRecords(database, filter, { after, size });
      if (reads.size >= MAX_READS) reads = new Map();
      reads.set(key, read);
      // A failed read is repeated, and one of a node that does not have the records yet.
      read.then(
        ({ through }) => through === after && reads.delete(key),
        () => reads.delete(key),
      );
      return read;
    },
    /** All streams read and send at the same time, after each new seal. */
    slices: database.slices,
    /** The number of streams. */
    get followers() {
      return followers.size;
    },
    /** Returns for how long the slowest stream has been behind the seals, or the feed itself; 0 without streams. */
    lagMs(): number {
      if (followers.size === 0 || seenAt === undefined) return 0;
      const since = Math.min(seenAt, ...[...followers].map(({ behindSince }) => behindSince ?? Infinity));
      return performance.now() - since;
    },
  };
}
