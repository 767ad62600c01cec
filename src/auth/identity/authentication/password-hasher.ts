import { randomBytes } from 'node:crypto';
import * as argon2 from 'argon2';
import type { Deadline } from '../../../platform/clock.ts';
import { createFairSemaphore } from '../../../platform/concurrency/fair-semaphore.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { toOpaqueString } from '../../../platform/formats/characters.ts';
import { networkOf } from '../../../platform/formats/network.ts';
import { gauge, type Metric } from '../../../platform/metric.ts';
import type { Tracer } from '../../../platform/tracing/tracer.ts';
import { isBcryptHash, memoryOfHash, verifyBcrypt } from './password-hash-formats.ts';

/** The caller that needs a hash, and its deadline. */
interface HashRequester {
  /** Requests are queued by network, and waiting networks take turns. */
  readonly clientAddress: string;
  readonly deadline: Deadline;
}

/** The result of a verification. */
export interface Verification {
  readonly isCorrect: boolean;
  /** Whether a new hash of the same password should replace this one: of another format, parameters, or form of the text. */
  readonly isOutdated: boolean;
}

/**
 * Verifies a password. The hash `undefined` never matches but takes as long: for accounts that do not exist or must look the
 * same.
 */
type VerifyPassword = (passwordHash: string | undefined, password: string) => Promise<Verification>;

/**
 * Hashes passwords as OpaqueString (RFC 8265), and verifies them in that form, then as sent, for hashes of earlier releases and
 * of other systems. Argon2id (RFC 9106) with limits on running hashes, on their memory, and on waiting hashes, shared fairly by network.
 * Rejects with AUTHENTICATION_SERVICE_UNAVAILABLE if the queue is full or the requester disconnects before its turn.
 */
export interface PasswordHasher {
  hash(password: string, requester: HashRequester): Promise<string>;
  /**
   * Runs `work` when this hash may be verified. Passwords can be verified only inside `work`, with this hash or with
   * undefined.
   */
  runLimited<T>(
    requester: HashRequester,
    passwordHash: string | undefined,
    work: (verify: VerifyPassword) => Promise<T>,
  ): Promise<T>;
}

const CURRENT_FORMAT = '$argon2id$';
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** The hashes of this process, now. */
export interface HashLoad {
  readonly running: number;
  readonly queued: number;
}

export function createPasswordHasher(options: {
  readonly maxConcurrent: number;
  readonly maxQueued: number;
  /** Maximum memory of all running hashes, in bytes. A hash that needs more runs alone. */
  readonly maxMemoryBytes: number;
}): PasswordHasher & { readonly load: () => HashLoad; readonly metrics: readonly Metric[] } {
  const semaphore = createFairSemaphore({
    maxConcurrent: options.maxConcurrent,
    maxQueued: options.maxQueued,
    maxWeight: options.maxMemoryBytes,
    // One network must not use all processors while others log in.
    maxRunningPerKey: Math.max(1, Math.floor(options.maxConcurrent / 2)),
    // One network may fill the whole queue if no other network needs it.
    maxQueuedPerKey: options.maxQueued,
    queueFull: () => overloaded('too many passwords are being checked'),
    aborted: () => overloaded('the caller disconnected before the password was checked'),
  });
  const runLimited = <T>({ clientAddress, deadline }: HashRequester, passwordHash: string, work: () => Promise<T>) =>
    semaphore.run(networkOf(clientAddress), deadline, work, memoryOfHash(passwordHash));

  return {
    hash: (password, requester) =>
      runLimited(requester, DECOY_HASH, () =>
        argon2.hash(toOpaqueString(password), { type: argon2.argon2id, ...PARAMETERS }),
      ),
    runLimited: (requester, passwordHash = DECOY_HASH, work) => runLimited(requester, passwordHash, () => work(verify)),
    load: () => ({ running: semaphore.running, queued: semaphore.queued }),
    metrics: [
      gauge('password_hashes_running', 'Password hashes that are being computed.', () => semaphore.running),
      gauge(
        'password_hashes_queued',
        'Password hashes that wait for a place, at most app.security.password.max-queued.',
        () => semaphore.queued,
      ),
    ],
  };
}

const verify: VerifyPassword = async (passwordHash = DECOY_HASH, password) => {
  const normalized = toOpaqueString(password);
  const isNormalized = await matches(passwordHash, normalized);
  // Also after a match, so that the duration depends on the text only.
  const isAsSent = password !== normalized && (await matches(passwordHash, password));
  const isCorrect = passwordHash !== DECOY_HASH && (isNormalized || isAsSent);
  return { isCorrect, isOutdated: !isNormalized || !isCurrent(passwordHash) };
};

function matches(passwordHash: string, password: string): Promise<boolean> {
  return isBcryptHash(passwordHash) ? verifyBcrypt(passwordHash, password) : argon2.verify(passwordHash, password);
}

/** Whether a hash has the format and the parameters of new ones. */
function isCurrent(passwordHash: string): boolean {
  return passwordHash.startsWith(CURRENT_FORMAT) && !argon2.needsRehash(passwordHash, PARAMETERS);
}

// The hash of no password: salt and digest are both random.
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

/** Records spans for password hashes: the wait for a place, and the hash itself. */
export function traceHasher(hasher: PasswordHasher, tracer: Tracer): PasswordHasher {
  return {
    ...hasher,
    hash: (password, requester) => tracer.trace('hash password', {}, () => hasher.hash(password, requester)),
    runLimited(requester, passwordHash, work) {
      if (tracer.current() === undefined) return hasher.runLimited(requester, passwordHash, work);
      const wait = tracer.start('wait for password hash');
      let waiting = true;
      const endWait = (error?: string) => {
        if (waiting) wait.end(error);
        waiting = false;
      };
      return hasher
        .runLimited(requester, passwordHash, (verify) => {
          endWait();
          return work((hash, password) => tracer.trace('verify password', {}, () => verify(hash, password)));
        })
        .finally(() => endWait('not started'));
    },
  };
}
