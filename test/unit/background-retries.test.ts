import { describe, expect, it, vi } from 'vitest';
import { createBackgroundRetries } from '../../src/platform/concurrency/background-retries.ts';
import { testTiming } from '../support/timing.ts';

const TEMPORARY = new Error('unavailable');

function createRetries() {
  const onGiveUp = vi.fn();
  const time = testTiming();
  const isTemporary = (error: unknown) => error === TEMPORARY;
  const retries = createBackgroundRetries({ isTemporary, onGiveUp, clock: time.now, sleep: time.sleep });
  /** Work whose first attempts fail, and the times of its attempts. */
  const failing = (failures: number) => {
    const attempts: number[] = [];
    const work = async () => {
      attempts.push(time.now());
      if (attempts.length <= failures) throw TEMPORARY;
    };
    return { work, attempts };
  };
  return { onGiveUp, time, retries, failing };
}

describe('background retries', () => {
  it('repeat work until it succeeds, with pauses that double from 100 ms to a second', async () => {
    const { retries, onGiveUp, time, failing } = createRetries();
    const { work, attempts } = failing(6);
    const running = retries.run(work, 0);
    await time.advance(60_000);
    expect(await running).toBe(true);
    expect(attempts).toEqual([0, 100, 300, 700, 1_500, 2_500, 3_500]);
    expect(onGiveUp).not.toHaveBeenCalled();
    expect(time.sleeping).toBe(0);
  });

  it('do not begin before the given time', async () => {
    const { retries, time, failing } = createRetries();
    const { work, attempts } = failing(0);
    const running = retries.run(work, 30);
    await time.advance(29);
    expect(attempts).toEqual([]);
    await time.advance(1);
    expect(await running).toBe(true);
    expect(attempts).toEqual([30]);
  });

  it('stop work that cannot succeed later', async () => {
    const { retries, onGiveUp, time } = createRetries();
    const defect = new TypeError('a defect');
    const work = vi.fn<() => Promise<void>>().mockRejectedValue(defect);
    const running = retries.run(work, 0);
    await time.advance(60_000);
    expect(await running).toBe(false);
    expect(work).toHaveBeenCalledOnce();
    expect(onGiveUp).toHaveBeenCalledExactlyOnceWith(defect);
  });

  it('run waiting work once more when they stop, not before its time, and report failures', async () => {
    const { retries, onGiveUp, time, failing } = createRetries();
    const [waiting, hopeless] = [failing(0), failing(Infinity)];
    void retries.run(waiting.work, 50);
    void retries.run(hopeless.work, 0);
    await time.advance(5);
    const stopped = retries.stop();
    await time.advance(0);
    expect(hopeless.attempts).toEqual([0, 5]);
    expect(onGiveUp).toHaveBeenCalledExactlyOnceWith(TEMPORARY);
    expect(waiting.attempts).toEqual([]);
    await time.advance(45);
    await stopped;
    expect(waiting.attempts).toEqual([50]);
  });
});
