/** Looks up a key, sharing a query with concurrent lookups. Returns undefined if there is no such row. */
export type BatchLoader<Value> = (key: string) => Promise<Value | undefined>;

interface Batch<Value> {
  readonly keys: Set<string>;
  readonly found: Promise<ReadonlyMap<string, Value>>;
}

const MAX_BATCH = 64;

/**
 * Combines concurrent lookups into one query. Nothing is cached: a lookup's query always begins after the lookup. The
 * number of keys in a query is a power of two, by repeating the last key. So the engine prepares only a few statements.
 */
export function batchLoader<Value>(
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): BatchLoader<Value> {
  let open: Batch<Value> | undefined;

  function openBatch(): Batch<Value> {
    const keys = new Set<string>();
    // All requests that arrived in this turn of the event loop have been read when it ends.
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
