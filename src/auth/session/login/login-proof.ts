// The proof that answers the challenge of a login.
import type { RefusalEvent } from '../../audit/trail/audit-log.ts';
import type { CreatedMethod } from '../../factors/change-factors.ts';
import type { Proof } from '../../factors/proofs.ts';
import type { FactorUse } from '../../factors/use-code.ts';
import type { OpenChallenge } from './answer-challenge.ts';

/** The transaction in which a proof is used. */
export interface ProofUse extends FactorUse {
  /** Records a wrong proof that no lock bounds: a passkey, or one of an enrolment. */
  readonly refuse: (event: RefusalEvent) => void;
}

/** A proof whose session can be prepared. It is used in the transaction of the login. */
export interface LoginProof {
  /** What it proves if it is right. */
  readonly proof: Proof;
  /** If the proof is wrong, the transaction must be committed. Throws SECOND_FACTOR_LOCKED. */
  use(use: ProofUse): Promise<UsedProof | WrongProof>;
}

export interface WrongProof {
  /** Why a passkey is wrong. Undefined for a code: it does not match, or was used. */
  readonly wrong: string | undefined;
}

export const WRONG_CODE: WrongProof = { wrong: undefined };

export interface UsedProof {
  /** The method of the factor that the proof has created. */
  readonly created?: CreatedMethod;
  /** The recovery codes, if it is the first factor of the account. */
  readonly recoveryCodes: string[];
}

export type PrepareProof = (value: string, challenge: OpenChallenge) => Promise<LoginProof> | LoginProof;
