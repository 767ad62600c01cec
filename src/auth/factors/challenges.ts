// The challenges of logins, as the login uses them.
import type { Clock, Deadline } from '../../platform/clock.ts';
import type { Statements } from '../../platform/db/types.ts';
import { ServiceError, type LoginChallenge } from '../../platform/errors.ts';
import type { Account } from '../access/account.ts';
import { CHALLENGE_LIFETIME_MS, findChallengeFault, newChallenge, parseChallenge } from './challenge.ts';
import type { ChallengeKind, ChallengeStore, StoredChallenge } from './challenge-store.ts';

export type { ChallengeKind, StoredChallenge };

/** How the session will be kept, if the login is completed. */
export type ChallengeTerms = Pick<StoredChallenge, 'kind' | 'transport' | 'origin' | 'rememberMe'>;

/** A request that answers a challenge. */
interface Answer {
  readonly challenge: string;
  /** How sessions name it. */
  readonly transport: string;
  /** The Origin header. */
  readonly origin: string | undefined;
}

export type Challenges = ReturnType<typeof createChallenges>;

export function createChallenges({ store, clock }: { readonly store: ChallengeStore; readonly clock: Clock }) {
  return {
    /**
     * Creates a challenge for the client, and a function that stores it in the transaction of the right password. So a change of the
     * account refuses the challenge or deletes it.
     */
    create(account: Account, methods: LoginChallenge['methods'], terms: ChallengeTerms) {
      const { id: accountId, tenantId, factorsVersion } = account;
      const { text, ...created } = newChallenge(clock());
      const challenge: LoginChallenge = { challenge: text, methods, expiresIn: CHALLENGE_LIFETIME_MS / 1000 };
      const stored = { ...created, ...terms, tenantId, accountId, factorsVersion, tries: 0 };
      return {
        challenge,
        async insert(tx: Statements, deadline: Deadline): Promise<void> {
          await store.deleteSurplus(tx, account);
          await store.insert(tx, stored, deadline);
        },
      };
    },

    /** Finds the challenge that a request can answer. Throws CHALLENGE_INVALID if there is none. */
    async findOpen({ challenge: text, transport, origin }: Answer): Promise<StoredChallenge> {
      const presented = parseChallenge(text);
      if (!presented) throw challengeInvalid('this service has not issued the challenge');
      const challenge = await store.find(presented.id);
      const fault = findChallengeFault(challenge, presented, { transport, origin, now: clock() });
      if (fault !== undefined || !challenge) throw challengeInvalid(fault);
      return challenge;
    },

    /** Counts an answer before it is evaluated. Throws CHALLENGE_INVALID if no further one may be. */
    async countTry(tx: Statements, challenge: StoredChallenge, now: number, deadline: Deadline): Promise<void> {
      if (!(await store.countTry(tx, challenge, now, deadline))) throw challengeInvalid(ENDED);
    },

    /** Uses a challenge for its login. Throws CHALLENGE_INVALID if it was used before. */
    async use(tx: Statements, challenge: StoredChallenge, now: number): Promise<void> {
      if (!(await store.use(tx, challenge, now))) throw challengeInvalid('the challenge was used before');
    },

    /** Stores the secret of a TOTP that is being enrolled. Throws CHALLENGE_INVALID if the challenge has ended. */
    async storeTotpSecret(
      tx: Statements,
      challenge: StoredChallenge,
      secret: Buffer,
      deadline: Deadline,
    ): Promise<void> {
      if (!(await store.storeTotpSecret(tx, challenge, secret, clock(), deadline))) throw challengeInvalid(ENDED);
    },
  };
}

const ENDED = 'the challenge has ended';

/** Throws CHALLENGE_INVALID if the account was deleted, or its factors have changed, since the challenge was created. */
export function assertSameFactors<Found extends { readonly account: Account }>(
  challenge: StoredChallenge,
  found: Found | undefined,
): asserts found is Found {
  if (challenge.factorsVersion !== found?.account.factorsVersion)
    throw challengeInvalid('the account was deleted, or its factors have changed since the login');
}

export function challengeInvalid(detail: string | undefined): ServiceError {
  return new ServiceError('CHALLENGE_INVALID', detail === undefined ? {} : { detail });
}
