// Counts events in the memory of this process, for a limited number of keys.
import type { Clock } from '../clock.ts';

interface Window {
  used: number;
  readonly endsAt: number;
}

/**
 * Maximum number of keys. Beyond it, the oldest is dropped: a limit per network cannot stop a client with this many
 * networks.
 */
const MAX_KEYS = 100_000;

export function createMemoryLimit(options: {
  readonly points: number;
  readonly windowMs: number;
  readonly clock: Clock;
  readonly maxKeys?: number;
}) {
  const { points, windowMs, clock, maxKeys = MAX_KEYS } = options;
  // All windows have the same length and are inserted when they begin, so the first one ends first.
  const windows = new Map<string, Window>();

  function openWindow(key: string, now: number): Window | undefined {
    const window = windows.get(key);
    return window !== undefined && window.endsAt > now ? window : undefined;
  }

  function makeRoom(now: number): void {
    for (const [key, { endsAt }] of windows) {
      if (endsAt > now && windows.size < maxKeys) return;
      windows.delete(key);
    }
  }

  function beginWindow(key: string, now: number): Window {
    windows.delete(key);
    makeRoom(now);
    const window = { used: 0, endsAt: now + windowMs };
    windows.set(key, window);
    return window;
  }

  return {
    /** Counts one event. Returns the wait in milliseconds if it is over the limit, else a function that takes the event back. */
    consume(key: string): number | (() => void) {
      const now = clock();
      const window = openWindow(key, now) ?? beginWindow(key, now);
      if (window.used >= points) return window.endsAt - now;
      window.used += 1;
      return () => void (window.used -= 1);
    },
    /** Returns the wait in milliseconds if the limit is used up, else undefined. Counts nothing. */
    check(key: string): number | undefined {
      const now = clock();
      const window = openWindow(key, now);
      return window !== undefined && window.used >= points ? window.endsAt - now : undefined;
    },
  };
}
