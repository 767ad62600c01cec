// Idempotency keys: a request with a key runs once, and its duplicates get the first response.
import { createHash } from 'node:crypto';
import type { Statements } from '../../platform/db/types.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Call } from '../../platform/rpc/types.ts';
import type { Dependencies } from '../dependencies.ts';
import {
  findAnswer,
  lockKey,
  prepareKey,
  storeAnswer,
  type FirstAnswer,
  type IdempotencyKey,
} from './idempotency-key-store.ts';

/** A request with its key. */
interface KeyedRequest {
  readonly key: IdempotencyKey;
  /** SHA-256 of everything else in the request. */
  readonly requestHash: Buffer;
}

export interface Idempotency {
  /**
   * Returns the encoded response that this request got before; undefined if it got none or the key belongs to another
   * request.
   */
  recall(request: KeyedRequest): Promise<Uint8Array | undefined>;
  /**
   * Runs `work` in a transaction and stores its response for 24 hours. If the request got a response meanwhile, returns
   * that one. Duplicates wait for each other. A failure stores nothing. Throws CONFLICT if the key was used with
   * another request.
   */
  once(call: Call, request: KeyedRequest, work: (tx: Statements) => Promise<Uint8Array>): Promise<Uint8Array>;
}

const LIFETIME_MS = 24 * 3_600_000;

/** Creates the keyed request from the key and the other, encoded fields of a request. Each account has its own keys. */
export function keyedRequest(
  { tenantId, accountId }: Pick<IdempotencyKey, 'tenantId' | 'accountId'>,
  key: string | undefined,
  encoded: Uint8Array,
): KeyedRequest | undefined {
  if (key === undefined) return undefined;
  return { key: { tenantId, accountId, hash: sha256(key) }, requestHash: sha256(encoded) };
}

export function createIdempotency({ database, clock }: Dependencies): Idempotency {
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
