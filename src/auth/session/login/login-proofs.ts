// The proofs that answer a challenge. A new kind of proof is one entry of the table.
import type { CompleteLoginRequest } from '../../../../proto/gen/authservice/session/v1/session_service.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { ConfirmTotp } from '../../factors/confirm-totp.ts';
import { factorEvent, type CodeKind, type UseCode } from '../../factors/use-code.ts';
import type { OpenChallenge } from './answer-challenge.ts';
import { WRONG_CODE, type PrepareProof, type ProofUse, type WrongProof } from './login-proof.ts';
import { createPreparePasskey, type ProvingPasskeys } from './passkey-proof.ts';

/** The second factor of a request. */
export type PresentedProof = NonNullable<CompleteLoginRequest['proof']>;
type ProofCase = PresentedProof['$case'];

export interface LoginProofDependencies {
  readonly useCode: UseCode;
  readonly confirmTotp: ConfirmTotp;
  readonly passkeys: ProvingPasskeys;
}

/** Creates a function that prepares the proof of a request. */
export function createPrepareProof({ useCode, confirmTotp, passkeys }: LoginProofDependencies) {
  const code =
    (kind: CodeKind): PrepareProof =>
    (value, { challenge }) => ({
      proof: { kind },
      async use(use) {
        if (challenge.kind === 'factor') return (await useCode(use, kind, value)) ? { recoveryCodes: [] } : WRONG_CODE;
        return kind === 'totp' ? enrolTotp(use, value, challenge.totpSecret) : failEnrolment(use, kind);
      },
    });

  /** The codes of an enrolment count against its challenge only: its secret is not a factor of the account yet. */
  async function enrolTotp(use: ProofUse, value: string, encrypted: Buffer | undefined) {
    const recoveryCodes = encrypted && (await confirmTotp(use, encrypted, value));
    return recoveryCodes ? { created: 'totp' as const, recoveryCodes } : failEnrolment(use, 'totp');
  }

  const prepare: Readonly<Record<ProofCase, PrepareProof>> = {
    totp: code('totp'),
    recoveryCode: code('recovery-code'),
    accessCode: code('access-code'),
    passkey: createPreparePasskey(passkeys),
  };
  return (proof: PresentedProof, challenge: OpenChallenge) => prepare[proof.$case](proof.value, challenge);
}

function failEnrolment({ refuse, account }: ProofUse, method: CodeKind): WrongProof {
  refuse(factorEvent('second-factor.failed', account, { method, during: 'enrolment' }));
  return WRONG_CODE;
}

/** Returns the one proof of a request. Throws VALIDATION_ERROR without one. */
export function requireProof({ proof }: Pick<CompleteLoginRequest, 'proof'>): PresentedProof {
  if (proof) return proof;
  const violation = {
    message: 'is required: totp, recoveryCode, accessCode or passkey',
    format: 'required',
    props: ['proof'],
  };
  throw new ServiceError('VALIDATION_ERROR', { violations: [violation] });
}
