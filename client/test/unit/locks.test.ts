// Locks over fake time, with the Web Locks of the runtime.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Channel, Message } from '../../src/channel.ts';
import { createLeaseLock } from '../../src/lease-lock.ts';
import { createLocalLock, lockTimeout, type Lock, type LockOptions } from '../../src/lock.ts';
import { after, sleep } from '../../src/timers.ts';
import { createWebLock } from '../../src/web-lock.ts';
import { memoryStorage, pass, turnsUntil } from './helpers.ts';

const GRACE_MS = 5_000;
const NOW = Date.UTC(2026, 0, 1);

beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ['Date', 'setTimeout', 'clearTimeout'] }));
afterEach(() => {
  vi.useRealTimers();
  listeners.clear();
});

const listeners = new Set<{ readonly name: string; readonly listener: (message: Message) => void }>();

/** A channel of tabs whose messages arrive at once: those of the runtime take real time. */
function openChannel(name: string): Channel {
  return {
    send(message) {
      for (const one of listeners) if (one.name === name) one.listener(message);
    },
    fence: async () => {},
    listen(listener) {
      const one = { name, listener };
      listeners.add(one);
      return () => void listeners.delete(one);
    },
    close: () => {},
  };
}

const leaseLock = (storage: Storage, shared: LockOptions) => createLeaseLock(storage, shared, { sleep, lockTimeout });

let names = 0;
function options(own: Partial<LockOptions> = {}): LockOptions {
  names += 1;
  const name = own.name ?? `test:${process.pid}:${names}`;
  return { name, channel: openChannel(name), storage: undefined, waitMs: 60_000, holdMs: 15_000, ...own };
}
const never = new AbortController().signal;
const pause = (ms: number) => new Promise<void>((resolve) => void after(ms, resolve));
const webLock = (own?: Partial<LockOptions>) => createWebLock(navigator.locks, options(own));

const LOCKS: readonly [string, () => () => Lock][] = [
  [
    'Web Locks',
    () => {
      const name = `test:shared:${process.pid}`;
      return () => webLock({ name });
    },
  ],
  [
    'a lease in local storage',
    () => {
      const storage = memoryStorage();
      const shared = options();
      return () => leaseLock(storage, shared);
    },
  ],
  [
    'a lock within the tab',
    () => {
      const lock = createLocalLock();
      return () => lock;
    },
  ],
];

describe.each(LOCKS)('%s', (_, setUp) => {
  it('runs callers one at a time, all of them, also after an error', async () => {
    const open = setUp();
    let inside = 0;
    let most = 0;
    let ended = 0;
    const all = Promise.allSettled(
      Array.from({ length: 5 }, (__, index) =>
        open()
          .run(async () => {
            inside += 1;
            most = Math.max(most, inside);
            await pause(20);
            inside -= 1;
            if (index === 1) throw new Error('failed');
            return index;
          }, never)
          .finally(() => (ended += 1)),
      ),
    );
    while (ended < 5) await pass(10);
    const outcomes = await all;
    expect(most).toBe(1);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual([...Array(4).fill('fulfilled'), 'rejected']);
  });

  it('rejects a waiting caller when its signal aborts', async () => {
    const open = setUp();
    const gate = Promise.withResolvers<void>();
    let isHeld = false;
    const held = open().run(() => {
      isHeld = true;
      return gate.promise;
    }, never);
    while (!isHeld) await pass(10);
    const abort = new AbortController();
    const work = vi.fn<() => Promise<void>>();
    const waiting = expect(open().run(work, abort.signal)).rejects.toThrow('no longer needed');
    abort.abort(new Error('no longer needed'));
    gate.resolve();
    await pass(500);
    await waiting;
    await held;
    expect(work).not.toHaveBeenCalled();
  });
});

describe('Web Locks with a holder that does not release', () => {
  /** Holds until the test ends. */
  async function holdFor(name: string): Promise<() => void> {
    const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const hold = () => {
      held.resolve();
      return released.promise;
    };
    navigator.locks.request(name, hold).catch(() => undefined);
    await held.promise;
    return released.resolve;
  }
  const waitersOf = async (name: string) =>
    (await navigator.locks.query()).pending!.filter((lock) => lock.name === name).length;

  it.each<[string, (ms: number) => unknown]>([
    ['one after the other', pass],
    // None hears of another one before it wakes.
    ['at the same time', (ms) => vi.advanceTimersByTime(ms)],
  ])('gives the lock to one waiting caller after the hold time and its grace, if they wake %s', async (_, wake) => {
    names += 1;
    const name = `test:stuck:${process.pid}:${names}`;
    const release = await holdFor(name);
    let inside = 0;
    let most = 0;
    const ends: (() => void)[] = [];
    const tabs = Array.from({ length: 4 }, () => options({ name, holdMs: -GRACE_MS + 400 }));
    const all = Promise.all(
      tabs.map((tab) =>
        createWebLock(navigator.locks, tab).run(async () => {
          tab.channel.send({ type: 'started' });
          inside += 1;
          most = Math.max(most, inside);
          await new Promise<void>((resolve) => ends.push(resolve));
          inside -= 1;
        }, never),
      ),
    );
    for (let waiters = 0; waiters < 4;) waiters = await waitersOf(name);
    await pass(399);
    expect(inside).toBe(0);
    await wake(101);
    for (let tab = 0; tab < 4; tab += 1) {
      await turnsUntil(() => inside === 1);
      // The lock is not taken over twice.
      await pass(200);
      ends[tab]!();
      await turnsUntil(() => inside === 0 || ends.length > tab + 1);
    }
    await all;
    expect(most).toBe(1);
    release();
  });

  it('keeps waiting while the holder reports that it is alive', async () => {
    const name = `test:reports:${process.pid}`;
    const release = await holdFor(name);
    const holder = options({ name });
    const ended = vi.fn();
    const waiting = webLock({ name, holdMs: -GRACE_MS + 300, waitMs: 1_000 }).run(async () => 'ran', never);
    waiting.then(ended, ended);
    for (let report = 0; report < 9; report += 1) {
      await pass(100);
      holder.channel.send({ type: 'started' });
    }
    await pass(99);
    expect(ended).not.toHaveBeenCalled();
    await pass(1);
    await expect(waiting).rejects.toMatchObject({ code: 'refresh-lock-timeout', status: 0 });
    release();
  });

  it('takes the lock over after the last report of the holder', async () => {
    const name = `test:silent:${process.pid}`;
    const release = await holdFor(name);
    const holder = options({ name });
    const work = vi.fn(async () => 'ran');
    const waiting = webLock({ name, holdMs: -GRACE_MS + 300 }).run(work, never);
    await pass(200);
    holder.channel.send({ type: 'started' });
    await pass(299);
    expect(work).not.toHaveBeenCalled();
    await pass(76);
    await turnsUntil(() => work.mock.calls.length > 0);
    await pass(100);
    expect(await waiting).toBe('ran');
    release();
  });

  it('without messages takes the lock over at the end of the maximum wait', async () => {
    const name = `test:mute:${process.pid}`;
    const release = await holdFor(name);
    const mute = { ...options({ name }).channel, fence: undefined };
    const work = vi.fn(async () => 'ran');
    const waiting = webLock({ name, channel: mute, waitMs: 500 }).run(work, never);
    await pass(399);
    expect(work).not.toHaveBeenCalled();
    await pass(101);
    await turnsUntil(() => work.mock.calls.length > 0);
    await pass(100);
    expect(await waiting).toBe('ran');
    release();
  });
});

describe('a lease in local storage', () => {
  it('of a closed tab expires', async () => {
    const storage = memoryStorage();
    const shared = options({ holdMs: -GRACE_MS + 300 });
    const dead = `dead ${NOW + 300}`;
    storage.setItem(`${shared.name}:lease`, dead);
    const work = vi.fn(async () => undefined);
    const running = leaseLock(storage, shared).run(work, never);
    await pass(299);
    expect(storage.getItem(`${shared.name}:lease`)).toBe(dead);
    // Until it looks again, and the time in which the writes of others arrive.
    await pass(101 + 300);
    await running;
    expect(work).toHaveBeenCalledOnce();
  });

  it('that ends later than any lease can, after a jump of the clock, is ignored', async () => {
    const storage = memoryStorage();
    const shared = options();
    storage.setItem(`${shared.name}:lease`, `dead ${NOW + 8 * 3_600_000}`);
    const running = leaseLock(storage, shared).run(async () => 'ran', never);
    await pass(300);
    expect(await running).toBe('ran');
  });

  it('rejects a waiting caller after the maximum wait', async () => {
    const storage = memoryStorage();
    const shared = options({ waitMs: 200 });
    storage.setItem(`${shared.name}:lease`, `alive ${NOW + 10_000}`);
    const ended = vi.fn();
    const waiting = leaseLock(storage, shared).run(async () => 'ran', never);
    waiting.catch(ended);
    await pass(200);
    expect(ended).not.toHaveBeenCalled();
    await pass(101);
    await expect(waiting).rejects.toMatchObject({ code: 'refresh-lock-timeout' });
  });
});
