import { randomBytes } from 'node:crypto';
import * as argon2 from 'argon2';
import type { Deadline } from '../../clock.ts';
import { ServiceError } from '../../errors.ts';
import { createFairSemaphore } from '../../concurrency/fair-semaphore.ts';
import { networkOf } from '../../formats/network.ts';

/** Who asks for a hash, and until when. */
export interface HashRequester {
  /** Its network takes turns with the other networks that wait. */
  readonly clientAddress: string;
  readonly deadline: Deadline;
}

/**
 * Whether the password is that of the hash. Never true for undefined, which costs as much: for accounts that do not exist
 * or must not be told apart.
 */
export type VerifyPassword = (passwordHash: string | undefined, password: string) => Promise<boolean>;

/**
 * Argon2id (RFC 9106) with a bound on the hashes that run and on those that wait, shared fairly by network. Rejects with
 * AUTHENTICATION_SERVICE_UNAVAILABLE if too many wait or the requester is gone before its turn.
 */
export interface PasswordHasher {
  hash(password: string, requester: HashRequester): Promise<string>;
  /** Runs `work` when there is room for a hash. Only `work` can verify passwords. */
  runLimited<T>(requester: HashRequester, work: (verify: VerifyPassword) => Promise<T>): Promise<T>;
  /** Whether the hash was made with other parameters than today's. */
  isOutdated(passwordHash: string): boolean;
}

const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export function createPasswordHasher(options: {
  readonly maxConcurrent: number;
  readonly maxQueued: number;
}): PasswordHasher {
  const semaphore = createFairSemaphore({
    ...options,
    // A network may fill the places that no other one needs.
    maxQueuedPerKey: options.maxQueued,
    queueFull: () => overloaded('too many passwords are being checked'),
    aborted: () => overloaded('the caller was gone before the password was checked'),
  });
  const runLimited = <T>({ clientAddress, deadline }: HashRequester, work: () => Promise<T>) =>
    semaphore.run(networkOf(clientAddress), deadline.signal, work);

  return {
    hash: (password, requester) =>
      runLimited(requester, () => argon2.hash(password, { type: argon2.argon2id, ...PARAMETERS })),
    runLimited: (requester, work) => runLimited(requester, () => work(verify)),
    isOutdated: (passwordHash) => argon2.needsRehash(passwordHash, PARAMETERS),
  };
}

const verify: VerifyPassword = async (passwordHash, password) => {
  const right = await argon2.verify(passwordHash ?? DECOY_HASH, password);
  return right && passwordHash !== undefined;
};

// The hash of no known password: salt and digest are both random.
const DECOY_HASH = [
  '$argon2id$v=19',
  `m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}`,
  base64(randomBytes(16)),
  base64(randomBytes(32)),
].join('$');

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}

function overloaded(detail: string): ServiceError {
  return new ServiceError('AUTHENTICATION_SERVICE_UNAVAILABLE', { detail, retryAfterMs: 1_000 });
}
