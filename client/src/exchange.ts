// What happens under the lock.
import { ApiError, noAnswer } from './api-error.ts';
import type { Channel } from './channel.ts';
import type { Lock } from './lock.ts';
import { after, orAborted, sleep } from './timers.ts';
import type { UnfinishedExchange } from './unfinished-exchange.ts';

/** How long a tab keeps the lock after it sent its result: the others read it before one of them gets the lock. */
const LINGER_MS = 40;

export interface ExchangeOptions {
  readonly lock: Lock;
  readonly channel: Channel;
  readonly unfinished: UnfinishedExchange;
  /** Longest hold of the lock. */
  readonly roundTripMs: number;
}

/** A call that changes the refresh credential, or reads the result that another tab has sent meanwhile. */
export interface Exchange<T> {
  /** A result that makes the call unnecessary, looked at before and after the wait; may throw. */
  readonly known: () => T | undefined;
  readonly call: (signal: AbortSignal) => Promise<T>;
  /** Called under the lock; the others are told here. */
  readonly done: (result: T) => void;
  readonly failed: (error: ApiError) => void;
  /** Calls the listener when `known` may have changed. */
  readonly watch: (listener: () => void) => () => void;
}

export type RunExchange = <T>(exchange: Exchange<T>) => Promise<T>;

/** Runs one exchange at a time in the whole browser, each bounded in time. */
export function createExchanges({ lock, channel, unfinished, roundTripMs }: ExchangeOptions): RunExchange {
  async function bounded<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const bound = new AbortController();
    const timeout = noAnswer('refresh-timeout', `The service did not answer within ${roundTripMs / 1000} s`);
    const cancel = after(roundTripMs, () => bound.abort(timeout));
    try {
      await orAborted(sleep(unfinished.remainingMs()), bound.signal);
      unfinished.begin();
      const result = await orAborted(call(bound.signal), bound.signal);
      unfinished.end();
      return result;
    } catch (error) {
      if (isAnswer(error)) unfinished.end();
      throw error;
    } finally {
      cancel();
    }
  }

  return <T>({ known, call, done, failed, watch }: Exchange<T>) =>
    new Promise<T>((resolve, reject) => {
      const wait = new AbortController();
      const lookAgain = () => {
        try {
          const result = known();
          if (result === undefined) return false;
          resolve(result);
        } catch (error) {
          reject(error);
        }
        wait.abort();
        return true;
      };
      const stopWatching = watch(lookAgain);

      async function work(): Promise<void> {
        // Messages of the tab that had the lock before come first.
        await sleep(0);
        stopWatching();
        if (wait.signal.aborted || lookAgain()) return;
        channel.send({ type: 'started' });
        await bounded(call).then(succeed, fail);
        await sleep(channel.carriesTokens ? LINGER_MS : 0);
      }

      function succeed(result: T): void {
        try {
          done(result);
          resolve(result);
        } catch (error) {
          reject(error);
        }
      }

      async function fail(cause: unknown): Promise<void> {
        // A tab that was frozen learns first that another one took the lock, and what came of that.
        await sleep(LINGER_MS);
        if (wait.signal.aborted || lookAgain()) return;
        const error = toApiError(cause);
        failed(error);
        reject(error);
      }

      /** The wait took too long, or another tab took the lock over. */
      async function withoutLock(cause: unknown): Promise<void> {
        wait.abort();
        await sleep(LINGER_MS);
        if (!lookAgain()) reject(toApiError(cause));
      }

      lock.run(work, wait.signal).catch(withoutLock).finally(stopWatching);
    });
}

/** Without one, the service may have changed the session: a page that is left sees its request fail. */
const isAnswer = (error: unknown): boolean => (error instanceof ApiError && error.status !== 0) || isOffline();

const isOffline = () => (globalThis.navigator as { onLine?: boolean } | undefined)?.onLine === false;

/** A lock that was taken over, an answer that is not JSON: the outcome is unknown, and the session is kept. */
function toApiError(cause: unknown): ApiError {
  return cause instanceof ApiError ? cause : noAnswer('service-unreachable', 'The refresh was interrupted', cause);
}
