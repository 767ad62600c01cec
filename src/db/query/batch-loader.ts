/** Looks one key up, sharing a query with all lookups of the same moment; undefined where there is no such row. */
export type BatchLoader<Value> = (key: string) => Promise<Value | undefined>;

interface Batch<Value> {
  readonly keys: Set<string>;
  readonly found: Promise<ReadonlyMap<string, Value>>;
}

const MAX_BATCH = 64;

/**
 * Joins the lookups of one moment into one query. Nothing is remembered: every lookup is answered by a query that
 * begins after it was asked. Each query gets a number of keys that is a power of two (the last key is repeated), so that
 * the engine prepares a handful of statements instead of one for each number.
 */
export function batchLoader<Value>(
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): BatchLoader<Value> {
  let open: Batch<Value> | undefined;

  function openBatch(): Batch<Value> {
    const keys = new Set<string>();
    // Everything that has arrived with this turn of the event loop has been read by its end.
    const turnOver = new Promise<void>((resolve) => void setImmediate(resolve));
    const batch: Batch<Value> = { keys, found: turnOver.then(() => send(batch)) };
    return batch;
  }

  function send(batch: Batch<Value>): Promise<ReadonlyMap<string, Value>> {
    if (open === batch) open = undefined;
    return load(padded([...batch.keys]));
  }

  return (key) => {
    if (open === undefined || open.keys.size === MAX_BATCH) open = openBatch();
    open.keys.add(key);
    return open.found.then((found) => found.get(key));
  };
}

function padded(keys: readonly string[]): readonly string[] {
  const size = 2 ** Math.ceil(Math.log2(keys.length));
  return [...keys, ...Array<string>(size - keys.length).fill(keys.at(-1)!)];
}
