// Resolves names of hosts as the system does: its hosts file, its name servers, their search domains and its other sources.
import { lookup as lookUp } from 'node:dns/promises';
import { createFairSemaphore } from '../concurrency/fair-semaphore.ts';
import { withTimeout } from '../concurrency/with-timeout.ts';

/** An address of a host. */
export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** Returns all addresses of a host name. Throws an Error for the owner of the name if there is none. */
export type ResolveHost = (host: string, owner: string) => Promise<readonly HostAddress[]>;

interface ResolveHostOptions {
  /** How many look-ups run at the same time. Default: as many as a pool of libuv's default size runs. */
  readonly maxConcurrent?: number;
  /** Limit of a look-up, in ms. */
  readonly timeLimitMs?: number;
  /** For tests. Default: getaddrinfo(). */
  readonly lookUp?: (host: string) => Promise<readonly HostAddress[]>;
}

const DEFAULT_CONCURRENT = 2;
const TIME_LIMIT_MS = 10_000;
const MAX_WAITING = 1_000;

const NOT_FOUND = 'the host name was not found';
const NO_ANSWER = 'the host name could not be resolved: the name servers did not answer';

/** "localhost" needs no name server (RFC 6761 section 6.3). */
const LOCALHOST = /^(?:.*\.)?localhost\.?$/i;
const LOOPBACK: readonly HostAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * A look-up cannot be ended, and needs a thread of libuv's pool for as long as the name servers of a tenant's domain do not answer. So few
 * run at the same time, one for each name, and an owner with many slow ones leaves threads to the others.
 */
export function createResolveHost(options: ResolveHostOptions = {}): ResolveHost {
  const { maxConcurrent = DEFAULT_CONCURRENT, timeLimitMs = TIME_LIMIT_MS } = options;
  const { lookUp: ask = (host: string) => lookUp(host, { all: true }) } = options;
  const noAnswer = () => new Error(NO_ANSWER);
  const semaphore = createFairSemaphore({
    maxConcurrent,
    maxQueued: MAX_WAITING,
    maxQueuedPerKey: MAX_WAITING,
    keepsSlotsFree: true,
    queueFull: noAnswer,
    aborted: noAnswer,
  });
  const running = new Map<string, Promise<readonly HostAddress[]>>();

  const begin = (host: string, owner: string): Promise<readonly HostAddress[]> => {
    const begun = semaphore
      .run(owner, { signal: AbortSignal.timeout(timeLimitMs) }, () => ask(host))
      .finally(() => running.delete(host));
    running.set(host, begun);
    return begun;
  };

  return async (host, owner) => {
    try {
      return await withTimeout(running.get(host) ?? begin(host, owner), timeLimitMs, noAnswer);
    } catch (error) {
      if (LOCALHOST.test(host)) return LOOPBACK;
      throw (error as NodeJS.ErrnoException).code === 'ENOTFOUND' ? new Error(NOT_FOUND) : noAnswer();
    }
  };
}
