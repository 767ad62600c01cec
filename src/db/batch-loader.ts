import DataLoader from 'dataloader';

/** Looks one key up, sharing a query with all look-ups of the same moment; undefined where there is no such row. */
export type BatchLoader<Value> = (key: string) => Promise<Value | undefined>;

const MAX_BATCH = 64;

/**
 * Joins the look-ups of one moment into one query. Nothing is remembered: every look-up is answered by a query that
 * begins after it was asked. Each query gets a number of keys that is a power of two (the last key is repeated), so that
 * the engine prepares a handful of statements instead of one for each number.
 */
export function batchLoader<Value>(
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): BatchLoader<Value> {
  const loader = new DataLoader<string, Value | undefined>(
    async (keys) => {
      const distinct = [...new Set(keys)];
      const size = 2 ** Math.ceil(Math.log2(distinct.length));
      const padded = [...distinct, ...Array<string>(size - distinct.length).fill(distinct.at(-1)!)];
      const found = await load(padded);
      return keys.map((key) => found.get(key));
    },
    { cache: false, maxBatchSize: MAX_BATCH, batchScheduleFn: (dispatch) => setImmediate(dispatch) },
  );
  return (key) => loader.load(key);
}
