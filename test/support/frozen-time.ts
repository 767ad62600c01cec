// Time that only the test advances, for limits that the code measures itself.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { vi } from 'vitest';

/**
 * Freezes Date, performance.now and setTimeout until `vi.useRealTimers()`. Pauses by node:timers/promises, sockets and threads go on,
 * and so do the clocks of databases. The test advances the time by `vi.advanceTimersByTime`.
 */
export function freezeTime(): void {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
}

/** Waits until at least so many calls of frozen code wait with a timer. */
export async function untilTimers(count: number): Promise<void> {
  await until(() => vi.getTimerCount() >= count);
}

/** Waits for a state by turns of the event loop. vi.waitFor would advance the frozen time. */
export async function until(isReached: () => boolean): Promise<void> {
  while (!isReached()) await nextTurn();
}

/** Waits until a number no longer changes, for a hundred turns of the event loop. */
export async function untilSettled(read: () => number): Promise<void> {
  for (let [last, turns] = [read(), 0]; turns < 100; turns += 1) {
    await nextTurn();
    if (read() !== last) [last, turns] = [read(), 0];
  }
}

/** Advances the frozen time, and lets the calls settle whose time has come. */
export async function passTime(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms);
  await nextTurn();
}
