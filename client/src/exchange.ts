// What happens under the lock.
import { ApiError, noAnswer } from './api-error.ts';
import type { Channel } from './channel.ts';
import type { Lock } from './lock.ts';
import { after, orAborted, sleep } from './timers.ts';
import type { UnfinishedExchange } from './unfinished-exchange.ts';

/** How long a tab keeps the lock after it sent its result: the others read it before one of them gets the lock. */
const LINGER_MS = 40;

/** How often a tab looks whether an exchange before its own is settled. */
const LOOK_EVERY_MS = 100;

export interface ExchangeOptions {
  readonly lock: Lock;
  readonly channel: Channel;
  readonly unfinished: UnfinishedExchange;
  /** Longest hold of the lock. */
  readonly roundTripMs: number;
  /** Longest life of a call that outlives its hold. */
  readonly longestMs: number;
}

/** A call that changes the refresh token, or reads the result that another tab has sent meanwhile. */
export interface Exchange<T> {
  /** A result that makes the call unnecessary, looked at before and after the wait; may throw. */
  readonly known: () => T | undefined;
  readonly call: (signal: AbortSignal) => Promise<T>;
  /** Whether the call goes on after the longest hold. Its late result is taken, and no tab sends another one meanwhile. */
  readonly outlivesHold: boolean;
  /** Called with the result, a late one too; the others are told here. */
  readonly done: (result: T) => void;
  readonly failed: (error: ApiError) => void;
  /** Calls the listener when `known` may have changed. */
  readonly watch: (listener: () => void) => () => void;
}

export type RunExchange = <T>(exchange: Exchange<T>) => Promise<T>;

/** Runs one exchange at a time in the whole browser, each bounded in time. */
export function createExchanges(options: ExchangeOptions): RunExchange {
  const { lock, channel, unfinished, roundTripMs, longestMs } = options;

  /** Sends the call, and marks it as unfinished until its answer. */
  function send<T>({ call, outlivesHold, done }: Exchange<T>): Promise<T> {
    const abandon = new AbortController();
    const cancel = after(outlivesHold ? longestMs : roundTripMs, () => {
      abandon.abort(timeout(roundTripMs));
      unfinished.leave();
    });
    unfinished.begin();
    const answer = call(abandon.signal).finally(cancel);
    answer.then(unfinished.end, (error: unknown) => (isAnswer(error) ? unfinished.end() : unfinished.leave()));
    return answer.then((result) => {
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
          const result = exchange.known();
          if (result === undefined) return false;
          resolve(result);
        } catch (error) {
          reject(error);
        }
        wait.abort();
        return true;
      };
      const stopWatching = exchange.watch(lookAgain);
      const isSettled = () => wait.signal.aborted || lookAgain();

      async function work(): Promise<void> {
        // Messages of the tab that had the lock before come first.
        await sleep(0);
        if (isSettled()) return;
        channel.send({ type: 'started' });
        const hold = new AbortController();
        const cancel = after(roundTripMs, () => hold.abort(timeout(roundTripMs)));
        await orAborted(callWhenSettled(hold.signal), hold.signal).then(resolve, fail).finally(cancel);
        await sleep(channel.carriesTokens ? LINGER_MS : 0);
      }

      async function callWhenSettled(hold: AbortSignal): Promise<T> {
        for (let ms = unfinished.remainingMs(); ms > 0; ms = unfinished.remainingMs()) {
          await sleep(Math.min(ms, LOOK_EVERY_MS));
          hold.throwIfAborted();
          if (isSettled()) throw wait.signal.reason;
        }
        stopWatching();
        isSent = true;
        return send(exchange);
      }

      async function fail(cause: unknown): Promise<void> {
        // A tab that was frozen learns first that another one took the lock, and what came of that.
        await sleep(LINGER_MS);
        if (isSettled()) return;
        const error = toApiError(cause);
        exchange.failed(error);
        reject(error);
      }

      /** The wait took too long, or another tab took the lock over. */
      async function withoutLock(cause: unknown): Promise<void> {
        wait.abort();
        if (isSent) unfinished.leave();
        await sleep(LINGER_MS);
        if (!lookAgain()) reject(toApiError(cause));
      }

      lock.run(work, wait.signal).catch(withoutLock).finally(stopWatching);
    });
}

const timeout = (ms: number) => noAnswer('refresh-timeout', `The service did not answer within ${ms / 1000} s`);

/** Without one, the service may have changed the session: a page that is left sees its request fail. */
const isAnswer = (error: unknown): boolean => (error instanceof ApiError && error.status !== 0) || isOffline();

const isOffline = () => (globalThis.navigator as { onLine?: boolean } | undefined)?.onLine === false;

/** A lock that was taken over, an answer that is not JSON: the outcome is unknown, and the session is kept. */
function toApiError(cause: unknown): ApiError {
  return cause instanceof ApiError ? cause : noAnswer('service-unreachable', 'The refresh was interrupted', cause);
}
