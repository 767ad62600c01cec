import { UNIT_MS } from './slices.ts';

/** The size of the next batch, adapted to the time that batches take. */
export interface BatchSize {
  readonly rows: number;
  /** Adapts the size after a batch of `rows` rows that took this long. */
  adapt(elapsedMs: number): void;
}

/** Factor by which the size changes at most from one batch to the next. */
const MAX_CHANGE = 2;

/**
 * Creates a size that grows or shrinks until a batch takes about `targetMs`.
 *
 * @param options.min Number of rows of the first and of the smallest batch, so that a busy process still makes progress.
 * @param options.max Maximum number of rows. Applies also to the first batch.
 * @param options.targetMs Default: a unit of a slice.
 */
export function createBatchSize(options: {
  readonly min: number;
  readonly max: number;
  readonly targetMs?: number;
}): BatchSize {
  const { max, targetMs = UNIT_MS } = options;
  const min = Math.min(options.min, max);
  let rows = min;
  return {
    get rows() {
      return rows;
    },
    adapt(elapsedMs) {
      const factor = Math.min(Math.max(targetMs / Math.max(elapsedMs, 0.01), 1 / MAX_CHANGE), MAX_CHANGE);
      rows = Math.min(max, Math.max(min, Math.floor(rows * factor)));
    },
  };
}
