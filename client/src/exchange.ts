// Exchanges of refresh tokens under the lock.
import { ApiError, noResponse } from './api-error.ts';
import type { Channel } from './channel.ts';
import type { Lock } from './lock.ts';
import { after, orAborted, sleep } from './timers.ts';
import type { UnfinishedExchange } from './unfinished-exchange.ts';

/** Time in which a tab that was frozen receives the messages of the tab that took over the lock. */
const THAW_MS = 40;

/** Interval at which a tab checks whether the previous exchange has ended. */
const LOOK_EVERY_MS = 100;

export interface ExchangeOptions {
  readonly lock: Lock;
  readonly channel: Channel;
  readonly unfinished: UnfinishedExchange;
  /** Maximum time for which a tab holds the lock. */
  readonly roundTripMs: number;
  /** Maximum duration of a call, which can be longer than the hold. */
  readonly longestMs: number;
}

/** A call that changes the refresh token, or uses the result of another tab. */
export interface Exchange<T> {
  /** Returns a result that makes the call unnecessary. Called before and after the wait; may throw. */
  readonly known?: () => T | undefined;
  readonly call: (signal: AbortSignal) => Promise<T>;
  /** Whether the call continues after the maximum hold. Its late result is used, and no tab sends another call meanwhile. */
  readonly outlivesHold: boolean;
  /** Called with the result, also a late one. It informs the other tabs. */
  readonly done: (result: T) => void;
  readonly failed?: (error: ApiError) => void;
  /** Calls the listener if `known` may have changed. */
  readonly watch?: (listener: () => void) => () => void;
}

export type RunExchange = <T>(exchange: Exchange<T>) => Promise<T>;

/** Runs one exchange at a time in the browser, each with a time limit. */
export function createExchanges(options: ExchangeOptions): RunExchange {
  const { lock, channel, unfinished, roundTripMs, longestMs } = options;

  /** Sends the call, and marks it as unfinished until its response. */
  function send<T>({ call, outlivesHold, done }: Exchange<T>): Promise<T> {
    const abandon = new AbortController();
    const cancel = after(outlivesHold ? longestMs : roundTripMs, () => {
      abandon.abort(timeout(roundTripMs));
      unfinished.leave();
    });
    unfinished.begin();
    const response = call(abandon.signal).finally(cancel);
    response.then(unfinished.end, (error: unknown) => (isResponse(error) ? unfinished.end() : unfinished.leave()));
    return response.then((result) => {
      done(result);
      return result;
    });
  }

  return <T>(exchange: Exchange<T>) =>
    new Promise<T>((resolve, reject) => {
      const wait = new AbortController();
      let isSent = false;
      const lookAgain = () => {
        try {
          const result = exchange.known?.();
          if (result === undefined) return false;
          resolve(result);
        } catch (error) {
          reject(error);
        }
        wait.abort();
        return true;
      };
      const stopWatching = exchange.watch?.(lookAgain);
      const isSettled = () => wait.signal.aborted || lookAgain();

      async function work(): Promise<void> {
        // Messages of the previous holder are handled first.
        await channel.fence?.();
        if (isSettled()) return;
        channel.send({ type: 'started' });
        const hold = new AbortController();
        const cancel = after(roundTripMs, () => hold.abort(timeout(roundTripMs)));
        await orAborted(callWhenSettled(hold.signal), hold.signal).then(resolve, fail).finally(cancel);
        // The next holder's mark is sent after the messages of this one have left the tab.
        await channel.fence?.();
      }

      async function callWhenSettled(hold: AbortSignal): Promise<T> {
        for (let ms = unfinished.remainingMs(); ms > 0; ms = unfinished.remainingMs()) {
          await sleep(Math.min(ms, LOOK_EVERY_MS));
          hold.throwIfAborted();
          if (isSettled()) throw wait.signal.reason;
        }
        stopWatching?.();
        isSent = true;
        return send(exchange);
      }

      async function fail(cause: unknown): Promise<void> {
        await sleep(THAW_MS);
        if (isSettled()) return;
        const error = toApiError(cause);
        exchange.failed?.(error);
        reject(error);
      }

      /** The maximum wait has passed, or another tab took over the lock. */
      async function withoutLock(cause: unknown): Promise<void> {
        wait.abort();
        if (isSent) unfinished.leave();
        await sleep(THAW_MS);
        if (!lookAgain()) reject(toApiError(cause));
      }

      lock.run(work, wait.signal).catch(withoutLock).finally(stopWatching);
    });
}

const timeout = (ms: number) => noResponse('refresh-timeout', `The service did not respond within ${ms / 1000} s`);

/** Without a response, the service may have changed the session. The requests of a closed page also fail. */
const isResponse = (error: unknown): boolean => (error instanceof ApiError && error.status !== 0) || isOffline();

const isOffline = () => (globalThis.navigator as { onLine?: boolean } | undefined)?.onLine === false;

/** Other causes, such as a lost lock or a body that is not JSON: the outcome is unknown, and the session is kept. */
function toApiError(cause: unknown): ApiError {
  return cause instanceof ApiError ? cause : noResponse('service-unreachable', 'The refresh was interrupted', cause);
}
