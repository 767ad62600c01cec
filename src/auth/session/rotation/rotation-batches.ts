// Lets other processes know which rotations of this process are settled: their callers have received the next token, or the
// sessions were set back. Needs one write per batch of rotations, and none while no session is renewed.
import type { Clock } from '../../../platform/clock.ts';
import type { BackgroundRetries } from '../../../platform/concurrency/background-retries.ts';
import { newId } from '../../../platform/db/ids.ts';
import type { SettledRotationStore } from './settled-rotation-store.ts';

export type RotationBatches = ReturnType<typeof createRotationBatches>;

export type RotationEnding =
  /** The session has the next generation. */
  | 'won'
  /** The session does not have it. */
  | 'undone'
  /** The session may have it, although its caller was refused. The batch is never reported as settled. */
  | 'unknown';

interface Batch {
  readonly id: string;
  running: number;
  hasWinner: boolean;
}

/** How long a batch accepts rotations, and how often the ended batches are stored. */
const INTERVAL_MS = 200;

export function createRotationBatches(options: {
  readonly store: SettledRotationStore;
  readonly retries: Pick<BackgroundRetries, 'run'>;
  readonly clock: Clock;
}) {
  const { store, retries, clock } = options;
  let current: Batch | undefined;
  /** Batches whose rotations run, or have ended since the last interval. */
  const open = new Set<Batch>();
  /** Ids of the batches of this process that are not stored yet. */
  const own = new Set<string>();

  function createBatch(): Batch {
    const batch = { id: newId(), running: 0, hasWinner: false };
    open.add(batch);
    own.add(batch.id);
    return batch;
  }

  async function storeEnded(): Promise<void> {
    current = undefined;
    const ended = [...open].filter(({ running }) => running === 0);
    for (const batch of ended) open.delete(batch);
    await Promise.all(ended.map(storeSettled));
  }

  async function storeSettled({ id, hasWinner }: Batch): Promise<void> {
    // Without a winner, no session refers to the batch.
    if (hasWinner) await retries.run(() => store.add(id, clock()), 0);
    own.delete(id);
  }

  // An interval runs outside of the requests, so their traces do not contain these writes.
  const timer = setInterval(() => void storeEnded(), INTERVAL_MS).unref();
  return {
    /** Adds a rotation to the current batch. The caller must call `end` once, when nothing changes the rotation any more. */
    join() {
      const batch = (current ??= createBatch());
      batch.running += 1;
      return {
        id: batch.id,
        end(ending: RotationEnding): void {
          batch.running -= 1;
          batch.hasWinner ||= ending === 'won';
          if (ending !== 'unknown') return;
          open.delete(batch);
          own.delete(batch.id);
          if (current === batch) current = undefined;
        },
      };
    },
    /** Whether all rotations of a batch have ended, except those that still run in this process. */
    isSettled: async (id: string) => own.has(id) || store.has(id),
    /** Stores the batches that have ended, and stops the timer. */
    async close() {
      clearInterval(timer);
      await storeEnded();
    },
  };
}
