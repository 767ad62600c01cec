// The audit records that arrive while the screen is live.
import { signal, type ReadonlySignal } from '@preact/signals';
import type { AuditRecord, FollowedAuditRecord, FollowOptions } from '../../../../client/src/operations.ts';

export interface LiveState {
  readonly connection: 'connecting' | 'open' | 'lost';
  /** Why the service refuses the stream. */
  readonly error: unknown;
  /** The newest first. */
  readonly shown: readonly AuditRecord[];
  /** Those that arrived during a pause. */
  readonly waiting: readonly AuditRecord[];
  /** How many have arrived. */
  readonly arrived: number;
}

export interface LiveRecords {
  readonly state: ReadonlySignal<LiveState>;
  /** Reads the stream from where it was left, or stops that. */
  setRunning(isRunning: boolean): void;
  /** During a pause, records wait. Its end shows them. */
  setPaused(isPaused: boolean): void;
  /** Shows the records that wait. */
  show(): void;
}

/** Rows in memory, and records that wait. */
export const MOST_ROWS = 200;

type Follow = (
  options: Required<Pick<FollowOptions, 'signal' | 'onConnection'>> & Pick<FollowOptions, 'after'>,
) => AsyncIterable<FollowedAuditRecord>;

/** Collects the records of a stream. If too many wait, it does not read the stream until they are shown. */
export function createLiveRecords(follow: Follow): LiveRecords {
  const state = signal<LiveState>({ connection: 'connecting', error: undefined, shown: [], waiting: [], arrived: 0 });
  let running: AbortController | undefined;
  let after: string | undefined;
  let isPaused = false;
  let goOn = (): void => undefined;
  const change = (changes: Partial<LiveState>) => {
    state.value = { ...state.value, ...changes };
  };
  const add = (record: AuditRecord) => {
    const { shown, waiting, arrived } = state.value;
    if (isPaused) change({ waiting: [record, ...waiting], arrived: arrived + 1 });
    else change({ shown: [record, ...shown].slice(0, MOST_ROWS), arrived: arrived + 1 });
  };
  const run = async (abort: AbortSignal) => {
    const onConnection = (connection: 'open' | 'lost', cursor: string | undefined) => {
      after = cursor;
      change({ connection });
    };
    for await (const { record, cursor } of follow({ signal: abort, onConnection, after })) {
      // Events that were already read. The next run reads them again.
      if (abort.aborted) return;
      after = cursor;
      add(record);
      if (isPaused && state.value.waiting.length >= MOST_ROWS)
        await new Promise<void>((resolve) => {
          goOn = resolve;
        });
    }
  };
  const show = () => {
    const { shown, waiting } = state.value;
    if (waiting.length > 0) change({ shown: [...waiting, ...shown].slice(0, MOST_ROWS), waiting: [] });
    goOn();
  };
  return {
    state,
    show,
    setRunning(isRunning) {
      if (isRunning === (running !== undefined)) return;
      running?.abort();
      goOn();
      running = isRunning ? new AbortController() : undefined;
      if (!running) return;
      const { signal: abort } = running;
      change({ connection: 'connecting', error: undefined });
      run(abort).catch((error: unknown) => abort.aborted || change({ error }));
    },
    setPaused(value) {
      isPaused = value;
      if (!value) show();
    },
  };
}

/** Returns the rows of the list and of the stream, each record once: those of the last seconds are in both. */
export function mergeRows(shown: readonly AuditRecord[], listed: readonly AuditRecord[]): readonly AuditRecord[] {
  const ids = new Set(shown.map(({ id }) => id));
  return [...shown, ...listed.filter(({ id }) => !ids.has(id))].slice(0, MOST_ROWS);
}

/** Returns how many of the records that wait are not in the list. */
export function countNew(waiting: readonly AuditRecord[], listed: readonly AuditRecord[]): number {
  const ids = new Set(listed.map(({ id }) => id));
  return waiting.filter(({ id }) => !ids.has(id)).length;
}
