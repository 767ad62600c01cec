// Limits the wrong codes that users enter, so that nobody finds the codes of other people's devices (RFC 8628 section 5.1).
import { UNLIMITED } from '../../../platform/clock.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { networkOf } from '../../../platform/formats/network.ts';
import type { Counted, RateLimit } from '../../../platform/limits/rate-limit.ts';
import type { Call } from '../../access/principal.ts';

export const WRONG_CODES_WINDOW_MS = 15 * 60_000;
export const WRONG_CODES_OF_ACCOUNT = 5;
export const WRONG_CODES_OF_NETWORK = 30;

type Limit = Pick<RateLimit, 'consumeForNow'>;

/**
 * Runs the search for a code. If it finds nothing, it counts against the account and the network. Rejects with TOO_MANY_REQUESTS if one
 * of them has entered too many wrong codes, also for a right one.
 */
export type LimitWrongCodes = <T>(call: Call, find: () => Promise<T | undefined>) => Promise<T | undefined>;

export function createLimitWrongCodes({
  ofAccount,
  ofNetwork,
}: {
  readonly ofAccount: Limit;
  readonly ofNetwork: Limit;
}): LimitWrongCodes {
  return async (call, find) => {
    const { principal, clientAddress, sharedAddress } = call;
    // Counted before the search, so that parallel guesses cannot exceed a limit.
    const counted: Counted[] = [];
    const count = async (limit: Limit, key: string) => {
      // The guess counts even if the caller has disconnected.
      const event = await limit.consumeForNow(key, UNLIMITED);
      counted.push(event);
      if (event.waitMs === undefined) return;
      await giveBack(counted);
      throw new ServiceError('TOO_MANY_REQUESTS', { detail: 'too many wrong codes', retryAfterMs: event.waitMs });
    };
    await count(ofAccount, principal!.account.id);
    // Clients behind the same proxy or gateway share an address.
    if (!sharedAddress) await count(ofNetwork, networkOf(clientAddress));
    let found: Awaited<ReturnType<typeof find>>;
    try {
      found = await find();
    } catch (error) {
      await giveBack(counted);
      throw error;
    }
    if (found !== undefined) await giveBack(counted);
    return found;
  };
}

async function giveBack(counted: readonly Counted[]): Promise<void> {
  await Promise.all(counted.map((event) => event.giveBack()));
}
