import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRotationBatches } from '../../src/auth/session/rotation/rotation-batches.ts';

const INTERVAL_MS = 200;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Two processes with one store. */
function createProcesses() {
  const stored = new Set<string>();
  const add = vi.fn(async (id: string) => void stored.add(id));
  const store = { add, has: async (id: string) => stored.has(id) };
  const retries = { run: async (work: () => Promise<unknown>) => (await work(), true) };
  const create = () => createRotationBatches({ store, retries, clock: () => 0 });
  return { one: create(), other: create(), add };
}
const nextInterval = () => vi.advanceTimersByTimeAsync(INTERVAL_MS);

describe('a batch of rotations', () => {
  it('is settled in its own process at once, and in others after the next interval', async () => {
    const { one, other } = createProcesses();
    const { id, end } = one.join();
    end('won');
    expect([await one.isSettled(id), await other.isSettled(id)]).toEqual([true, false]);
    await nextInterval();
    expect([await one.isSettled(id), await other.isSettled(id)]).toEqual([true, true]);
  });

  it('is not settled in another process while one of its rotations may be set back', async () => {
    const { one, other, add } = createProcesses();
    const [won, unsettled] = [one.join(), one.join()];
    expect(won.id).toBe(unsettled.id);
    won.end('won');
    await nextInterval();
    await nextInterval();
    expect(await other.isSettled(won.id)).toBe(false);
    const later = one.join();
    expect(later.id).not.toBe(won.id);
    later.end('won');
    await nextInterval();
    expect([await other.isSettled(later.id), await other.isSettled(won.id)]).toEqual([true, false]);
    unsettled.end('undone');
    await nextInterval();
    expect(await other.isSettled(won.id)).toBe(true);
    expect(add).toHaveBeenCalledTimes(2);
  });

  it('is not written if no session has it', async () => {
    const { one, other, add } = createProcesses();
    const { id, end } = one.join();
    end('undone');
    await nextInterval();
    await nextInterval();
    expect(add).not.toHaveBeenCalled();
    expect([await one.isSettled(id), await other.isSettled(id)]).toEqual([false, false]);
  });

  it('is never settled if the end of one of its rotations is unknown, but later ones are', async () => {
    const { one, other } = createProcesses();
    const [won, unknown] = [one.join(), one.join()];
    won.end('won');
    unknown.end('unknown');
    const later = one.join();
    later.end('won');
    await nextInterval();
    await one.close();
    expect([await one.isSettled(won.id), await other.isSettled(won.id)]).toEqual([false, false]);
    expect([await one.isSettled(later.id), await other.isSettled(later.id)]).toEqual([true, true]);
  });

  it('is written when the process stops', async () => {
    const { one, other } = createProcesses();
    const { id, end } = one.join();
    end('won');
    await one.close();
    expect(await other.isSettled(id)).toBe(true);
    expect(vi.getTimerCount()).toBe(1);
  });
});
