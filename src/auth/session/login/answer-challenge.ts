// Finds the challenge that a request answers, with its account.
import {
  assertSameFactors,
  challengeInvalid,
  type ChallengeKind,
  type Challenges,
  type StoredChallenge,
} from '../../factors/challenges.ts';
import type { FoundAccount } from '../../identity/account-row.ts';
import type { Account } from '../../access/account.ts';
import type { BrowserOrigin } from '../transport/browser-origin.ts';
import type { TransportPolicy } from '../transport/transport-policy.ts';

export interface FindChallengeDependencies {
  readonly loginChallenges: Challenges;
  readonly accounts: { find(account: Pick<Account, 'tenantId' | 'id'>): Promise<FoundAccount | undefined> };
}

interface Answer {
  readonly challenge: string;
  readonly transport: TransportPolicy;
  readonly origin: BrowserOrigin;
}

/** An open challenge, and its account as it is before the transaction. */
export interface OpenChallenge extends FoundAccount {
  readonly challenge: StoredChallenge;
}

/** The challenges that ask for a second factor. */
const OF_FACTORS: readonly ChallengeKind[] = ['factor', 'enrolment'];

/**
 * Creates a function that finds an open challenge of some kinds, by default of those for factors. It throws CHALLENGE_INVALID if there is
 * none that the request can answer.
 */
export function createFindChallenge({ loginChallenges, accounts }: FindChallengeDependencies) {
  return async (
    { challenge: text, transport, origin }: Answer,
    kinds: readonly ChallengeKind[] = OF_FACTORS,
  ): Promise<OpenChallenge> => {
    const answer = { challenge: text, transport: transport.stored, origin: origin.text };
    const challenge = await loginChallenges.findOpen(answer);
    if (!kinds.includes(challenge.kind)) throw challengeInvalid('the challenge is for another step of the login');
    const found = await accounts.find({ tenantId: challenge.tenantId, id: challenge.accountId });
    assertSameFactors(challenge, found);
    return { ...found, challenge };
  };
}
