import { ServiceError } from '../errors.ts';

const RETRY_AFTER_MS = 5_000;

/**
 * Limits the open streams of an account in this process.
 *
 * @param content What the streams contain, for the message to the caller.
 */
export function createStreamLimit(content: string, maxPerAccount: number) {
  const open = new Map<string, number>();
  return {
    /** Counts a stream as open. Returns a function that ends it. Throws TOO_MANY_REQUESTS if the account has too many. */
    begin(accountId: string): () => void {
      const count = open.get(accountId) ?? 0;
      if (count >= maxPerAccount) {
        const publicMessage = `The account has ${count} open streams of ${content}`;
        throw new ServiceError('TOO_MANY_REQUESTS', { publicMessage, retryAfterMs: RETRY_AFTER_MS });
      }
      open.set(accountId, count + 1);
      return () => {
        const left = open.get(accountId)! - 1;
        if (left === 0) open.delete(accountId);
        else open.set(accountId, left);
      };
    },
  };
}
