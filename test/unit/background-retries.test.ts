import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { createBackgroundRetries } from '../../src/platform/concurrency/background-retries.ts';

const TEMPORARY = new Error('unavailable');

function createRetries() {
  const onGiveUp = vi.fn();
  return { onGiveUp, retries: createBackgroundRetries({ isTemporary: (error) => error === TEMPORARY, onGiveUp }) };
}

describe('background retries', () => {
  it('repeat work until it succeeds', async () => {
    const { retries, onGiveUp } = createRetries();
    const work = vi.fn<() => Promise<void>>().mockRejectedValueOnce(TEMPORARY).mockResolvedValue();
    expect(await retries.run(work, 0)).toBe(true);
    expect(work).toHaveBeenCalledTimes(2);
    expect(onGiveUp).not.toHaveBeenCalled();
  });

  it('do not begin before the given time', async () => {
    const { retries } = createRetries();
    const notBefore = Date.now() + 30;
    let startedAt = 0;
    await retries.run(async () => {
      startedAt = Date.now();
    }, notBefore);
    // A timer may be early by a fraction of a millisecond.
    expect(startedAt).toBeGreaterThanOrEqual(notBefore - 1);
  });

  it('stop work that cannot succeed later', async () => {
    const { retries, onGiveUp } = createRetries();
    const defect = new TypeError('a defect');
    const work = vi.fn<() => Promise<void>>().mockRejectedValue(defect);
    expect(await retries.run(work, 0)).toBe(false);
    expect(work).toHaveBeenCalledOnce();
    expect(onGiveUp).toHaveBeenCalledExactlyOnceWith(defect);
  });

  it('run waiting work once more when they stop, not before its time, and report failures', async () => {
    const { retries, onGiveUp } = createRetries();
    let startedAt = 0;
    const waiting = vi.fn(async () => void (startedAt = Date.now()));
    const failing = vi.fn<() => Promise<void>>().mockRejectedValue(TEMPORARY);
    const notBefore = Date.now() + 50;
    void retries.run(waiting, notBefore);
    void retries.run(failing, 0);
    await sleep(5);
    expect(waiting).not.toHaveBeenCalled();
    await retries.stop();
    expect(waiting).toHaveBeenCalledOnce();
    expect(startedAt).toBeGreaterThanOrEqual(notBefore - 1);
    expect(failing).toHaveBeenCalledTimes(2);
    expect(onGiveUp).toHaveBeenCalledExactlyOnceWith(TEMPORARY);
  });
});
