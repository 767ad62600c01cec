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
  /** How often the stream has begun at its present. Earlier records are in the list, loaded after that. */
  readonly beginnings: number;
}

export interface LiveRecords {
  readonly state: ReadonlySignal<LiveState>;
  /** Reads the stream from where it was left, or from now if it was left long ago; or stops that. */
  setRunning(isRunning: boolean): void;
  /** During a pause, records wait. Its end shows them. */
  setPaused(isPaused: boolean): void;
  /** Shows the records that wait. */
  show(): void;
}

/** Rows in memory, and records that wait. */
export const MOST_ROWS = 200;
/** A stream that was left for longer begins at its present. */
const LONGEST_GAP_MS = 60_000;
/** More records from before the stream was resumed are not read. */
const MOST_MISSED = 1_000;

type Follow = (
  options: Required<Pick<FollowOptions, 'signal' | 'onConnection'>> & Pick<FollowOptions, 'after'>,
) => AsyncIterable<FollowedAuditRecord>;

interface LiveOptions {
  readonly clock?: () => number;
  /** Calls a function before the next frame. */
  readonly beforeFrame?: (draw: () => void) => unknown;
}

/**
 * Collects the records of a stream, and shows those of a frame together. If too many wait, it does not read the stream until they are
 * shown.
 */
export function createLiveRecords(
  follow: Follow,
  { clock = Date.now, beforeFrame = (draw) => requestAnimationFrame(draw) }: LiveOptions = {},
): LiveRecords {
  const state = signal<LiveState>({
    connection: 'connecting',
    error: undefined,
    shown: [],
    waiting: [],
    arrived: 0,
    beginnings: 0,
  });
  let running: AbortController | undefined;
  let after: string | undefined;
  let isPaused = false;
  let goOn = (): void => undefined;
  /** Since when the stream is not read. */
  let leftAt: number | undefined;
  /** Since when it is read again; undefined if it began at its present. */
  let resumedAt: number | undefined;
  let missed = 0;
  /** The records of this frame, the oldest first. */
  let arrivals: AuditRecord[] = [];
  const change = (changes: Partial<LiveState>) => {
    state.value = { ...state.value, ...changes };
  };
  const draw = () => {
    if (arrivals.length === 0) return;
    const { shown, waiting } = state.value;
    const arrived = state.value.arrived + arrivals.length;
    const newest = arrivals.toReversed();
    arrivals = [];
    if (isPaused) change({ waiting: [...newest, ...waiting], arrived });
    else change({ shown: [...newest, ...shown].slice(0, MOST_ROWS), arrived });
  };
  const add = (record: AuditRecord) => {
    if (arrivals.push(record) === 1) beforeFrame(draw);
    // A page that draws no frames must not collect them for ever.
    if (arrivals.length + (isPaused ? state.value.waiting.length : 0) >= MOST_ROWS) draw();
  };
  const resume = () => {
    resumedAt = clock();
    missed = 0;
  };
  const run = async (abort: AbortSignal) => {
    let isNew = after === undefined;
    const onConnection = (connection: 'open' | 'lost', cursor: string | undefined) => {
      if (abort.aborted) return;
      after = cursor;
      if (connection === 'open' && isNew) {
        arrivals = [];
        resumedAt = undefined;
        change({ connection, shown: [], waiting: [], beginnings: state.value.beginnings + 1 });
        isNew = false;
        return;
      }
      if (connection === 'open') resume();
      change({ connection });
    };
    for await (const { record, cursor } of follow({ signal: abort, onConnection, after })) {
      // Events that were already read. The next run reads them again.
      if (abort.aborted) return;
      after = cursor;
      if (resumedAt !== undefined && Date.parse(record.at) < resumedAt) missed += 1;
      if (missed > MOST_MISSED) return start(true);
      add(record);
      if (isPaused && state.value.waiting.length >= MOST_ROWS) {
        leftAt = clock();
        await new Promise<void>((resolve) => {
          goOn = resolve;
        });
      }
    }
  };
  const stop = () => {
    draw();
    running?.abort();
    running = undefined;
    goOn();
  };
  /** Reads the stream from its present, or from where it was left. */
  const start = (isNew: boolean) => {
    stop();
    if (isNew) after = undefined;
    leftAt = undefined;
    missed = 0;
    running = new AbortController();
    const { signal: abort } = running;
    change({ connection: 'connecting', error: undefined });
    run(abort).catch((error: unknown) => abort.aborted || change({ error }));
  };
  const isLeftLongAgo = () => leftAt !== undefined && clock() - leftAt > LONGEST_GAP_MS;
  const show = () => {
    draw();
    const { shown, waiting } = state.value;
    if (waiting.length > 0) change({ shown: [...waiting, ...shown].slice(0, MOST_ROWS), waiting: [] });
    if (running === undefined || leftAt === undefined) return;
    if (isLeftLongAgo()) return start(true);
    leftAt = undefined;
    resume();
    goOn();
  };
  return {
    state,
    show,
    setRunning(isRunning) {
      if (isRunning === (running !== undefined)) return;
      if (isRunning) return start(isLeftLongAgo());
      stop();
      leftAt ??= clock();
    },
    setPaused(value) {
      // Those that have arrived before.
      draw();
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
