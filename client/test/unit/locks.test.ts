import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { openChannel, type Channel } from '../../src/channel.ts';
import { createLeaseLock } from '../../src/lease-lock.ts';
import { createLocalLock, lockTimeout, type Lock, type LockOptions } from '../../src/lock.ts';
import { createWebLock } from '../../src/web-lock.ts';
import { memoryStorage } from './helpers.ts';

const GRACE_MS = 5_000;
const channels: Channel[] = [];
afterEach(() => {
  for (const channel of channels.splice(0)) channel.close();
});

const leaseLock = (storage: Storage, shared: LockOptions) => createLeaseLock(storage, shared, { sleep, lockTimeout });

let names = 0;
function options(own: Partial<LockOptions> = {}): LockOptions {
  names += 1;
  const name = own.name ?? `test:${process.pid}:${names}`;
  const channel = openChannel(name, undefined);
  channels.push(channel);
  return { name, channel, storage: undefined, waitMs: 60_000, holdMs: 15_000, ...own };
}
const never = new AbortController().signal;
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
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, (__, index) =>
        open().run(async () => {
          inside += 1;
          most = Math.max(most, inside);
          await sleep(20);
          inside -= 1;
          if (index === 1) throw new Error('failed');
          return index;
        }, never),
      ),
    );
    expect(most).toBe(1);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual([...Array(4).fill('fulfilled'), 'rejected']);
  });

  it('rejects a waiting caller when its signal aborts', async () => {
    const open = setUp();
    const held = open().run(() => sleep(300), never);
    await sleep(150);
    const abort = new AbortController();
    const waiting = open().run(async () => 'ran', abort.signal);
    abort.abort(new Error('no longer needed'));
    await expect(waiting).rejects.toThrow('no longer needed');
    await held;
  });
});

describe('Web Locks with a holder that does not release', () => {
  /** Holds until the test ends. */
  function holdFor(name: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    navigator.locks.request(name, () => promise).catch(() => undefined);
    return resolve;
  }

  it('gives the lock to exactly one waiting caller after the hold time and its grace', async () => {
    const name = `test:stuck:${process.pid}`;
    const release = holdFor(name);
    const started = Date.now();
    let inside = 0;
    let most = 0;
    const work = async () => {
      inside += 1;
      most = Math.max(most, inside);
      await sleep(50);
      inside -= 1;
    };
    const tabs = Array.from({ length: 4 }, () => options({ name, holdMs: -GRACE_MS + 400 }));
    await Promise.all(
      tabs.map((tab) =>
        createWebLock(navigator.locks, tab).run(async () => {
          tab.channel.send({ type: 'started' });
          await work();
        }, never),
      ),
    );
    expect(most).toBe(1);
    expect(Date.now() - started).toBeGreaterThanOrEqual(395);
    release();
  });

  it('keeps waiting while the holder reports that it is alive', async () => {
    const name = `test:reports:${process.pid}`;
    const release = holdFor(name);
    const holder = options({ name });
    const reports = setInterval(() => holder.channel.send({ type: 'started' }), 100);
    const waiting = webLock({ name, holdMs: -GRACE_MS + 300, waitMs: 1_000 }).run(async () => 'ran', never);
    await expect(waiting).rejects.toMatchObject({ code: 'refresh-lock-timeout', status: 0 });
    clearInterval(reports);
    release();
  });

  it('without messages takes the lock over at the end of the maximum wait', async () => {
    const name = `test:mute:${process.pid}`;
    const release = holdFor(name);
    const mute = { ...options({ name }).channel, fence: undefined };
    const started = Date.now();
    expect(await webLock({ name, channel: mute, waitMs: 500 }).run(async () => 'ran', never)).toBe('ran');
    expect(Date.now() - started).toBeGreaterThanOrEqual(395);
    release();
  });
});

describe('a lease in local storage', () => {
  it('of a closed tab expires', async () => {
    const storage = memoryStorage();
    const shared = options({ holdMs: -GRACE_MS + 300 });
    storage.setItem(`${shared.name}:lease`, `dead ${Date.now() + 300}`);
    const started = Date.now();
    await leaseLock(storage, shared).run(async () => undefined, never);
    expect(Date.now() - started).toBeGreaterThanOrEqual(295);
  });

  it('that ends later than any lease can, after a jump of the clock, is ignored', async () => {
    const storage = memoryStorage();
    const shared = options();
    storage.setItem(`${shared.name}:lease`, `dead ${Date.now() + 8 * 3_600_000}`);
    expect(await leaseLock(storage, shared).run(async () => 'ran', never)).toBe('ran');
  });

  it('rejects a waiting caller after the maximum wait', async () => {
    const storage = memoryStorage();
    const shared = options({ waitMs: 200 });
    storage.setItem(`${shared.name}:lease`, `alive ${Date.now() + 10_000}`);
    const waiting = leaseLock(storage, shared).run(async () => 'ran', never);
    await expect(waiting).rejects.toMatchObject({ code: 'refresh-lock-timeout' });
  });
});
