import { unavailable } from './errors.ts';

/** What `work` resolves to, unless it takes longer than `timeoutMs`: then DependencyUnavailableError. */
export async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(unavailable(`no answer within ${timeoutMs} ms`)), timeoutMs);
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}
