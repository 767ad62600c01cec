import { setImmediate as allSettled } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFairSemaphore } from '../../src/platform/concurrency/fair-semaphore.ts';

interface Work {
  readonly key: string;
  readonly caller: AbortController;
  finish(): void;
  state: 'waiting' | 'running' | 'done' | 'full' | 'aborted';
}

/** A semaphore with works that end when the test says so, and the keys of the works in the order of their starts. */
function createBench(limits: {
  maxConcurrent: number;
  maxQueued: number;
  maxQueuedPerKey: number;
  maxWeight?: number;
  keepsSlotsFree?: boolean;
  maxRunningPerKey?: number;
}) {
  const semaphore = createFairSemaphore({
    ...limits,
    queueFull: () => new Error('full'),
    aborted: () => new Error('aborted'),
  });
  const works: Work[] = [];
  const started: Work[] = [];

  function begin(key: string, signal?: AbortSignal, weight?: number): Work {
    const finished = Promise.withResolvers<void>();
    const work: Work = { key, caller: new AbortController(), finish: finished.resolve, state: 'waiting' };
    works.push(work);
    const run = semaphore.run(
      key,
      { signal: signal ?? work.caller.signal },
      () => {
        work.state = 'running';
        started.push(work);
        return finished.promise;
      },
      weight,
    );
    run.then(
      () => (work.state = 'done'),
      (error: Error) => (work.state = error.message as 'full' | 'aborted'),
    );
    return work;
  }

  const inState = (state: Work['state']) => works.filter((work) => work.state === state);
  return { semaphore, begin, inState, started, startedKeys: () => started.map(({ key }) => key).join('') };
}

describe('createFairSemaphore', () => {
  it('serves waiting keys in turn, with any number of tasks per key', async () => {
    const bench = createBench({ maxConcurrent: 1, maxQueued: 10, maxQueuedPerKey: 10 });
    for (const key of 'aaaaabbc') bench.begin(key);
    for (let turn = 0; turn < 8; turn += 1) {
      await allSettled();
      bench.inState('running').forEach((work) => work.finish());
    }
    await allSettled();
    // The first one has had its turn without waiting.
    expect(bench.startedKeys()).toBe('abcabaaa');
    expect(bench.inState('done')).toHaveLength(8);
  });

  it('bounds the weight of running tasks, and runs a heavier task alone', async () => {
    const bench = createBench({ maxConcurrent: 9, maxQueued: 9, maxQueuedPerKey: 9, maxWeight: 10 });
    const [, six, heavy, light, last] = [4, 6, 30, 1, 9].map((weight, index) =>
      bench.begin('abcde'[index]!, undefined, weight),
    );
    await allSettled();
    expect(bench.startedKeys()).toBe('ab');
    // The light task fits, but does not overtake the heavy one.
    six!.finish();
    await allSettled();
    expect(bench.startedKeys()).toBe('ab');
    bench.inState('running').forEach((work) => work.finish());
    await allSettled();
    expect(bench.startedKeys()).toBe('abc');
    heavy!.finish();
    await allSettled();
    expect(bench.inState('running')).toEqual([light, last]);
  });

  it('starts the tasks behind one that waited for its weight and was aborted', async () => {
    const bench = createBench({ maxConcurrent: 9, maxQueued: 9, maxQueuedPerKey: 9, maxWeight: 10 });
    bench.begin('a', undefined, 5);
    const heavy = bench.begin('b', undefined, 6);
    const light = bench.begin('c', undefined, 5);
    await allSettled();
    expect(bench.startedKeys()).toBe('a');
    heavy.caller.abort();
    await allSettled();
    expect([heavy.state, light.state]).toEqual(['aborted', 'running']);
  });

  it('a task whose weight fits waits behind the queue', async () => {
    const bench = createBench({ maxConcurrent: 9, maxQueued: 9, maxQueuedPerKey: 9, maxWeight: 10 });
    for (const weight of [5, 6, 1]) bench.begin('a', undefined, weight);
    await allSettled();
    expect(bench.inState('waiting')).toHaveLength(2);
  });

  it('runs at most so many tasks of a key, whoever waits behind them', async () => {
    const bench = createBench({ maxConcurrent: 4, maxQueued: 20, maxQueuedPerKey: 20, maxRunningPerKey: 2 });
    for (const key of 'aaaaabcb') bench.begin(key);
    await allSettled();
    expect(bench.startedKeys()).toBe('aabc');
    for (const work of bench.inState('running')) if (work.key === 'a') work.finish();
    await allSettled();
    // The waiting task of b has its turn, too.
    expect(new Set(bench.startedKeys().slice(4))).toEqual(new Set('ab'));
    for (let turn = 0; turn < 2; turn += 1) {
      for (const work of bench.inState('running')) work.finish();
      await allSettled();
    }
    for (const work of bench.inState('running')) work.finish();
    await allSettled();
    expect(bench.inState('done')).toHaveLength(8);
  });

  it('lets no task overtake one that waits for its weight, but those that wait for their key', async () => {
    const bench = createBench({
      maxConcurrent: 9,
      maxQueued: 9,
      maxQueuedPerKey: 9,
      maxWeight: 10,
      maxRunningPerKey: 1,
    });
    bench.begin('a', undefined, 4);
    bench.begin('a', undefined, 4);
    bench.begin('b', undefined, 1);
    await allSettled();
    expect(bench.startedKeys()).toBe('ab');
    bench.begin('c', undefined, 9);
    bench.begin('d', undefined, 1);
    await allSettled();
    expect(bench.startedKeys()).toBe('ab');
  });

  it('keeps slots free for other keys if it must, and uses them again afterwards', async () => {
    const bench = createBench({ maxConcurrent: 6, maxQueued: 20, maxQueuedPerKey: 20, keepsSlotsFree: true });
    for (const key of 'aaaaabbb') bench.begin(key);
    await allSettled();
    // Of 6 slots, a key alone has 3. A second key has as many as are free: 2.
    expect(bench.startedKeys()).toBe('aaabb');
    for (const work of bench.inState('running')) if (work.key === 'a') work.finish();
    await allSettled();
    expect(bench.startedKeys()).toBe('aaabbaba');
    for (let turn = 0; turn < 2; turn += 1) {
      for (const work of bench.inState('running')) work.finish();
      await allSettled();
    }
    expect(bench.inState('done')).toHaveLength(8);
  });

  it('rejects a task above the limit of its key', async () => {
    const bench = createBench({ maxConcurrent: 1, maxQueued: 10, maxQueuedPerKey: 2 });
    for (const key of 'aaaab') bench.begin(key);
    await allSettled();
    expect(bench.inState('full').map(({ key }) => key)).toEqual(['a']);
    expect(bench.inState('waiting').map(({ key }) => key)).toEqual(['a', 'a', 'b']);
  });

  it('removes the last task of the key with the most waiting tasks for a key with fewer', async () => {
    const bench = createBench({ maxConcurrent: 1, maxQueued: 3, maxQueuedPerKey: 3 });
    for (const key of 'aaa') bench.begin(key);
    const last = bench.begin('a');
    bench.begin('b');
    await allSettled();
    expect(last.state).toBe('full');
    expect(bench.inState('waiting').map(({ key }) => key)).toEqual(['a', 'a', 'b']);
    const lateB = bench.begin('b');
    await allSettled();
    expect(lateB.state).toBe('full');
  });

  it('removes a waiting task when its signal aborts, which frees its place', async () => {
    const bench = createBench({ maxConcurrent: 1, maxQueued: 1, maxQueuedPerKey: 1 });
    const first = bench.begin('a');
    const cancelled = bench.begin('b');
    cancelled.caller.abort();
    const next = bench.begin('b');
    await allSettled();
    expect([cancelled.state, next.state]).toEqual(['aborted', 'waiting']);
    first.finish();
    await allSettled();
    expect(bench.startedKeys()).toBe('ab');
  });

  it('starts no task whose signal is aborted, even if it aborts at its turn', async () => {
    for (let microtasks = 0; microtasks < 10; microtasks += 1) {
      const bench = createBench({ maxConcurrent: 1, maxQueued: 1, maxQueuedPerKey: 1 });
      const early = bench.begin('a', AbortSignal.abort());
      const first = bench.begin('a');
      const second = bench.begin('b');
      first.finish();
      for (let passed = 0; passed < microtasks; passed += 1) await Promise.resolve();
      const wasRunning = second.state === 'running';
      second.caller.abort();
      await allSettled();
      expect([early.state, second.state]).toEqual(['aborted', wasRunning ? 'running' : 'aborted']);
      second.finish();
      await allSettled();
      expect(bench.begin('c').state).toBe('running');
    }
  });

  it('frees the slot of a task that throws, and throws its error', async () => {
    const { semaphore } = createBench({ maxConcurrent: 1, maxQueued: 1, maxQueuedPerKey: 1 });
    const { signal } = new AbortController();
    const thrown = semaphore.run('a', { signal }, () => Promise.reject(new Error('no')));
    const next = semaphore.run('a', { signal }, () => Promise.resolve('yes'));
    await expect(thrown).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });

  it('keeps its limits, leaves no slot idle, and starts no key twice while another waits', async () => {
    const commands = fc.array(
      fc.oneof(
        { weight: 3, arbitrary: fc.record({ kind: fc.constant('begin' as const), key: fc.constantFrom(...'abcd') }) },
        { weight: 2, arbitrary: fc.record({ kind: fc.constant('finish' as const), pick: fc.nat() }) },
        { weight: 1, arbitrary: fc.record({ kind: fc.constant('abort' as const), pick: fc.nat() }) },
      ),
      { maxLength: 60 },
    );
    const limits = fc.record({
      maxConcurrent: fc.integer({ min: 1, max: 3 }),
      maxQueued: fc.integer({ min: 0, max: 8 }),
      maxQueuedPerKey: fc.integer({ min: 0, max: 5 }),
      maxRunningPerKey: fc.integer({ min: 1, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(limits, commands, async (bounds, steps) => {
        const bench = createBench(bounds);
        /** Starts of other keys since a key waits without a start of its own. */
        const passedBy = new Map<string, string[]>();
        let seen = 0;
        for (const step of steps) {
          if (step.kind === 'begin') bench.begin(step.key);
          else {
            const candidates = bench.inState(step.kind === 'finish' ? 'running' : 'waiting');
            const picked = candidates[step.pick % (candidates.length || 1)];
            if (step.kind === 'finish') picked?.finish();
            else picked?.caller.abort();
          }
          await allSettled();
          const waiting = bench.inState('waiting');
          const waitingKeys = new Set(waiting.map(({ key }) => key));
          for (const { key } of bench.started.slice(seen)) {
            passedBy.delete(key);
            for (const [other, keys] of passedBy) passedBy.set(other, [...keys, key]);
          }
          seen = bench.started.length;
          const runningOf = (key: string) => bench.inState('running').filter((work) => work.key === key).length;
          // A key that waits for its own tasks can be passed by any number of others.
          for (const key of passedBy.keys())
            if (!waitingKeys.has(key) || runningOf(key) >= bounds.maxRunningPerKey) passedBy.delete(key);
          for (const key of waitingKeys) if (!passedBy.has(key)) passedBy.set(key, []);

          const running = bench.inState('running').length;
          expect(running).toBeLessThanOrEqual(bounds.maxConcurrent);
          expect(waiting.length).toBeLessThanOrEqual(bounds.maxQueued);
          for (const key of waitingKeys)
            expect(waiting.filter((work) => work.key === key).length).toBeLessThanOrEqual(bounds.maxQueuedPerKey);
          for (const key of 'abcd') expect(runningOf(key)).toBeLessThanOrEqual(bounds.maxRunningPerKey);
          for (const key of waitingKeys)
            if (runningOf(key) < bounds.maxRunningPerKey) expect(running).toBe(bounds.maxConcurrent);
          for (const keys of passedBy.values()) expect(new Set(keys).size).toBe(keys.length);
        }
        // Every work ends at last.
        for (let turn = 0; bench.inState('running').length > 0 && turn < 100; turn += 1) {
          bench.inState('running').forEach((work) => work.finish());
          await allSettled();
        }
        expect(bench.inState('waiting')).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});
