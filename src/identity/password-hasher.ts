import { randomBytes } from 'node:crypto';
import * as argon2 from 'argon2';
import type { Deadline } from '../clock.ts';
import { ServiceError } from '../errors.ts';

/** Argon2id (RFC 9106) with a bound on the hashes that run and on those that wait. */
export interface PasswordHasher {
  hash(password: string, deadline: Deadline): Promise<string>;
  /** Rejects with AUTHENTICATION_SERVICE_UNAVAILABLE where too many wait or the deadline passes in the queue. */
  verify(passwordHash: string, password: string, deadline: Deadline): Promise<boolean>;
  /** Costs as much as `verify` and is never true: for accounts that do not exist or must not tell. */
  verifyNothing(password: string, deadline: Deadline): Promise<void>;
  /** Whether the hash was made with other parameters than today's. */
  isOutdated(passwordHash: string): boolean;
}

const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export function createPasswordHasher(options: {
  readonly maxConcurrent: number;
  readonly maxQueued: number;
}): PasswordHasher {
  const { maxConcurrent, maxQueued } = options;
  const queue: (() => void)[] = [];
  let running = 0;

  async function bounded<T>(deadline: Deadline, work: () => Promise<T>): Promise<T> {
    if (running >= maxConcurrent) {
      if (queue.length >= maxQueued) throw overloaded('too many passwords are being checked');
      await new Promise<void>((resolve) => queue.push(resolve));
    } else {
      running += 1;
    }
    try {
      if (deadline.signal.aborted) throw overloaded('the deadline passed while the password waited to be checked');
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else running -= 1;
    }
  }

  return {
    hash: (password, deadline) =>
      bounded(deadline, () => argon2.hash(password, { type: argon2.argon2id, ...PARAMETERS })),
    verify: (passwordHash, password, deadline) => bounded(deadline, () => argon2.verify(passwordHash, password)),
    async verifyNothing(password, deadline) {
      await bounded(deadline, () => argon2.verify(DECOY_HASH, password));
    },
    isOutdated: (passwordHash) => argon2.needsRehash(passwordHash, PARAMETERS),
  };
}

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
