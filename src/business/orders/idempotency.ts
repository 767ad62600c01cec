// A request that carries a key is carried out once, and its duplicates get the first answer.
import { createHash } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { Database, Statements } from '../../db/types.ts';
import { ServiceError } from '../../errors.ts';
import type { Call } from '../../rpc/types.ts';
import {
  findAnswer,
  lockKey,
  prepareKey,
  storeAnswer,
  type FirstAnswer,
  type IdempotencyKey,
} from './idempotency-key-store.ts';

/** A request with its key. */
export interface KeyedRequest {
  readonly key: IdempotencyKey;
  /** SHA-256 of everything else in the request. */
  readonly requestHash: Buffer;
}

export interface Idempotency {
  /** The answer that this very request got before, encoded; undefined where it got none or is another's. */
  recall(request: KeyedRequest): Promise<Uint8Array | undefined>;
  /**
   * Runs `work` in a transaction and keeps its answer for 24 hours, unless the request was answered meanwhile: then that is the
   * answer. Duplicates wait for each other; a failure leaves nothing behind. Throws CONFLICT where the key came with another
   * request.
   */
  once(call: Call, request: KeyedRequest, work: (tx: Statements) => Promise<Uint8Array>): Promise<Uint8Array>;
}

const LIFETIME_MS = 24 * 3_600_000;

/** Reads the key of a request whose other members were encoded. One key space for each account. */
export function keyedRequest(
  { tenantId, accountId }: Pick<IdempotencyKey, 'tenantId' | 'accountId'>,
  key: string | undefined,
  encoded: Uint8Array,
): KeyedRequest | undefined {
  if (key === undefined) return undefined;
  return { key: { tenantId, accountId, hash: sha256(key) }, requestHash: sha256(encoded) };
}

export function createIdempotency(options: { readonly database: Database; readonly clock: Clock }): Idempotency {
  const { database, clock } = options;
  return {
    async recall({ key, requestHash }) {
      const first = await findAnswer(database, key, clock());
      return first && isAnswerTo(requestHash, first) ? first.answer : undefined;
    },

    async once(call, { key, requestHash }, work) {
      await prepareKey(database, key, clock(), clock() + LIFETIME_MS);
      return database.transaction(call.deadline, async (tx) => {
        await lockKey(tx, key);
        const first = await findAnswer(tx, key, clock());
        if (first && isAnswerTo(requestHash, first)) return first.answer;
        if (first)
          throw new ServiceError('CONFLICT', { detail: 'the idempotency key came with another request before' });
        const answer = await work(tx);
        await storeAnswer(tx, key, { requestHash, answer }, clock() + LIFETIME_MS);
        return answer;
      });
    },
  };
}

function isAnswerTo(requestHash: Buffer, first: FirstAnswer): boolean {
  return requestHash.equals(first.requestHash);
}

function sha256(content: string | Uint8Array): Buffer {
  return createHash('sha256').update(content).digest();
}
