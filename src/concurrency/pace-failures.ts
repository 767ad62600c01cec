/** Longer than most checks of a credential take, so that nearly all failures take one interval. */
const INTERVAL_MS = 10;

/**
 * Runs `work`. If it fails, rejects at the next multiple of 10 ms after the start. So the duration of a refusal does not
 * reveal small differences, such as the number of rows that were read. A success is not delayed.
 */
export async function paceFailures<T>(work: () => Promise<T>): Promise<T> {
  let wake: (() => void) | undefined;
  // Started before the work, because timers round to milliseconds: a later start would show in the rounded end.
  const timer = setInterval(() => wake?.(), INTERVAL_MS);
  try {
    return await work();
  } catch (error) {
    await new Promise<void>((resolve) => (wake = resolve));
    throw error;
  } finally {
    clearInterval(timer);
  }
}
