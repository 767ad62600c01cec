// Lookups that share queries.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { batchLoader } from '../../src/platform/db/query/batch-loader.ts';

interface Query {
  readonly keys: readonly string[];
  answer(): Promise<void>;
  fail(): Promise<void>;
}

let queries: Query[];
const loader = () =>
  batchLoader<string>((keys) => {
    const { promise, resolve, reject } = Promise.withResolvers<ReadonlyMap<string, string>>();
    queries.push({
      keys,
      async answer() {
        resolve(new Map(keys.filter((key) => key !== 'missing').map((key) => [key, `value of ${key}`])));
        await turn();
      },
      async fail() {
        reject(new Error('the database is gone'));
        await turn();
      },
    });
    return promise;
  });
/** Lets everything run that waits for nothing else. */
const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

beforeEach(() => {
  queries = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => void vi.useRealTimers());

describe('a batch loader', () => {
  it('reads the keys of one turn by one query, each once, padded to a power of two', async () => {
    const load = loader();
    const found = Promise.all(['a', 'b', 'a', 'missing'].map((key) => load(key)));
    await turn();
    expect(queries.map(({ keys }) => keys)).toEqual([['a', 'b', 'missing', 'missing']]);
    await queries[0]!.answer();
    expect(await found).toEqual(['value of a', 'value of b', 'value of a', undefined]);
  });

  it('begins a query after each lookup, also of a key that is being read', async () => {
    const load = loader();
    const first = load('a');
    await turn();
    const second = load('a');
    await turn();
    expect(queries.map(({ keys }) => keys)).toEqual([['a'], ['a']]);
    for (const query of queries) await query.answer();
    expect(await Promise.all([first, second])).toEqual(['value of a', 'value of a']);
  });

  it('collects the lookups that come while two queries run', async () => {
    const load = loader();
    const found: Promise<unknown>[] = [];
    for (const key of ['a', 'b', 'c', 'd', 'e']) {
      found.push(load(key));
      await turn();
    }
    expect(queries.map(({ keys }) => keys)).toEqual([['a'], ['b']]);
    await queries[1]!.answer();
    expect(queries.slice(2).map(({ keys }) => keys)).toEqual([['c', 'd', 'e', 'e']]);
    for (const query of queries) await query.answer();
    expect(await Promise.all(found)).toHaveLength(5);
  });

  it('waits 50 ms for queries that hang', async () => {
    const load = loader();
    for (const key of ['a', 'b']) {
      void load(key);
      await turn();
    }
    const found = load('c');
    await turn();
    vi.advanceTimersByTime(49);
    await turn();
    expect(queries).toHaveLength(2);
    vi.advanceTimersByTime(1);
    await turn();
    expect(queries).toHaveLength(3);
    await queries[2]!.answer();
    expect(await found).toBe('value of c');
  });

  it('goes on after a query that failed', async () => {
    const load = loader();
    const failing = ['a', 'b'].map(async (key) => load(key));
    await turn();
    const outcome = Promise.allSettled(failing);
    await queries[0]!.fail();
    expect((await outcome).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    for (const key of ['c', 'd', 'e']) {
      const found = load(key);
      await turn();
      await queries.at(-1)!.answer();
      expect(await found).toBe(`value of ${key}`);
    }
  });

  it('reads at most 64 keys by a query', async () => {
    const load = loader();
    const found = Promise.all(Array.from({ length: 150 }, (_, index) => load(String(index))));
    await turn();
    expect(queries.map(({ keys }) => keys.length)).toEqual([64, 64]);
    for (const query of queries.slice()) await query.answer();
    expect(queries.map(({ keys }) => new Set(keys).size)).toEqual([64, 64, 22]);
    await queries[2]!.answer();
    expect(await found).toHaveLength(150);
  });
});
