import { withTimeout } from '../concurrency/with-timeout.ts';
import { timedOut } from './errors.ts';

/** Settles as `work` does; rejects with DependencyUnavailableError after `timeoutMs` milliseconds. */
export function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  return withTimeout(work, timeoutMs, () => timedOut(timeoutMs));
}
