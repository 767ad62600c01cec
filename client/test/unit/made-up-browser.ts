// A browser with several tabs in one process. As in a real one, locks and messages take different ways. A test can hold the
// messages of a tab back on their way out of it, or on their way into it.
import { AsyncLocalStorage } from 'node:async_hooks';
import { vi } from 'vitest';
import { createCookieSession, type Session } from '../../src/index.ts';
import { accessToken, fakeFetch, json, memoryStorage } from './helpers.ts';

const ORIGIN = 'https://shop.test';
const HOUR_SECONDS = 3_600;

/** Where the messages of a tab wait. */
type Way = 'out' | 'in';

interface MadeUpTab {
  readonly session: Session;
  /** The calls of a script of this tab. */
  login(): Promise<unknown>;
  accessToken(): Promise<string>;
  /** Stops the tab's messages on this way until `release`. */
  hold(way: Way): void;
  release(): void;
}

/** Messages on their way, in their order. */
function createQueue() {
  const waiting: (() => void)[] = [];
  let isHeld = false;
  const deliver = () => {
    if (!isHeld) waiting.shift()?.();
  };
  return {
    add(message: () => void) {
      waiting.push(message);
      setImmediate(deliver);
    },
    hold: () => void (isHeld = true),
    release() {
      isHeld = false;
      for (const _ of waiting) setImmediate(deliver);
    },
  };
}

type Queues = Record<Way, ReturnType<typeof createQueue>>;

/** Sets the globals of a browser. The caller undoes that with `vi.unstubAllGlobals`. */
export function openBrowser() {
  const running = new AsyncLocalStorage<Queues>();
  const channels = new Set<FakeChannel>();

  class FakeChannel extends EventTarget {
    readonly name: string;
    readonly queues = running.getStore()!;

    constructor(name: string) {
      super();
      this.name = name;
      channels.add(this);
    }
    postMessage(data: unknown): void {
      this.queues.out.add(() => {
        for (const other of channels) if (other !== this && other.name === this.name) other.receive(data);
      });
    }
    receive(data: unknown): void {
      this.queues.in.add(() =>
        running.run(this.queues, () => this.dispatchEvent(new MessageEvent('message', { data }))),
      );
    }
    close(): void {
      channels.delete(this);
    }
  }

  const holders = new Map<string, Promise<unknown>>();
  const locks = {
    request(name: string, { signal }: { signal?: AbortSignal }, work: () => Promise<unknown>) {
      const inTab = AsyncLocalStorage.bind(work);
      return new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
        const turn = async () => (signal?.aborted ? undefined : inTab().then(resolve, reject));
        holders.set(name, (holders.get(name) ?? Promise.resolve()).then(turn));
      });
    },
  };

  vi.stubGlobal('BroadcastChannel', FakeChannel);
  vi.stubGlobal('navigator', { locks });
  vi.stubGlobal('localStorage', memoryStorage());
  vi.stubGlobal('location', new URL(ORIGIN));

  let onRefresh = () => {};
  const { fetch, sent } = fakeFetch(({ path }) => {
    if (path.endsWith('/refresh')) onRefresh();
    return json({ accessToken: accessToken(), expiresIn: HOUR_SECONDS, user: {} });
  });

  return {
    openTab(): MadeUpTab {
      const queues: Queues = { out: createQueue(), in: createQueue() };
      const session = running.run(queues, () => createCookieSession({ baseUrl: ORIGIN, fetch }));
      return {
        session,
        login: () => running.run(queues, () => session.login({ username: 'a', password: 'b' })),
        accessToken: () => running.run(queues, () => session.accessToken()),
        hold: (way) => queues[way].hold(),
        release: () => Object.values(queues).forEach((queue) => queue.release()),
      };
    },
    /** Ends the access tokens of all tabs. */
    endTokens: () => void vi.setSystemTime(Date.now() + HOUR_SECONDS * 1_000),
    /** Runs when the service gets a refresh. */
    set onRefresh(run: () => void) {
      onRefresh = run;
    },
    refreshes: () => sent.filter(({ path }) => path.endsWith('/refresh')).length,
    /** Resolves when nothing happens any more before a message is released or time passes. */
    async quiet(): Promise<void> {
      for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
