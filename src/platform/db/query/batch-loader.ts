/** Looks up a key, sharing a query with concurrent lookups. Returns undefined if there is no such row. */
export type BatchLoader<Value> = (key: string) => Promise<Value | undefined>;

interface Batch<Value> {
  readonly keys: Set<string>;
  readonly found: Promise<ReadonlyMap<string, Value>>;
}

const MAX_BATCH = 64;
/** Queries of a loader at the same time. Lookups that come meanwhile are collected for the next one. */
const MAX_QUERIES = 2;
/** A batch waits no longer for them: a query that hangs must not stop the others. */
const MAX_WAIT_MS = 50;

/**
 * Combines concurrent lookups into one query. Nothing is cached: a lookup's query always begins after the lookup. The
 * number of keys in a query is a power of two, by repeating the last key. So the engine prepares only a few statements.
 */
export function batchLoader<Value>(
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): BatchLoader<Value> {
  let open: Batch<Value> | undefined;
  let queries = 0;
  const waiting = new Set<() => void>();

  function waitForPlace(): Promise<void> | undefined {
    if (queries < MAX_QUERIES) return undefined;
    return new Promise((resolve) => {
      const begin = () => {
        clearTimeout(timer);
        waiting.delete(begin);
        resolve();
      };
      const timer = setTimeout(begin, MAX_WAIT_MS);
      waiting.add(begin);
    });
  }

  function openBatch(): Batch<Value> {
    const keys = new Set<string>();
    // All requests that arrived in this turn of the event loop have been read when it ends.
    const turnOver = new Promise<void>((resolve) => void setImmediate(resolve));
    const batch: Batch<Value> = { keys, found: turnOver.then(waitForPlace).then(() => send(batch)) };
    return batch;
  }

  async function send(batch: Batch<Value>): Promise<ReadonlyMap<string, Value>> {
    if (open === batch) open = undefined;
    queries += 1;
    try {
      return await load(padded([...batch.keys]));
    } finally {
      queries -= 1;
      const [next] = waiting;
      next?.();
    }
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
