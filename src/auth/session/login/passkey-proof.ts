// A passkey that answers the challenge of a login. Its signature is checked before the transaction, which only uses it.
import { addFactor } from '../../factors/change-factors.ts';
import { RefusedPasskey, type Passkeys } from '../../factors/passkeys/passkeys.ts';
import type { PasskeyContext } from '../../factors/passkeys/passkey-challenges.ts';
import type { Proof } from '../../factors/proofs.ts';
import { factorEvent } from '../../factors/use-code.ts';
import type { Account } from '../../access/account.ts';
import type { LoginProof, PrepareProof, ProofUse, UsedProof, WrongProof } from './login-proof.ts';
import { passkeyFor } from './second-factor-passkey.ts';

export type ProvingPasskeys = Pick<Passkeys, 'isEnabled' | 'check' | 'checkCreated' | 'use' | 'store'>;

/** The name of a passkey that was created during a login. Its owner can change it. */
const LABEL = 'Passkey';
/** Of a passkey that is refused: no session is opened for it. */
const UNPROVEN: Proof = { kind: 'passkey', backupEligible: true, backedUp: false, userVerified: false };
const DISABLED = 'the service has no passkeys';

/** Details of the audit record of a wrong passkey. */
type FailureDetails = typeof ENROLMENT;
const ENROLMENT = { during: 'enrolment' } as const;

/** A wrong passkey counts as a try of the challenge. It does not count towards the lock of codes, and is not stopped by it. */
export function createPreparePasskey(passkeys: ProvingPasskeys): PrepareProof {
  const prove = createProvePasskey(passkeys);

  return (response, { challenge, account }) => {
    const context = passkeyFor(challenge);
    return challenge.kind === 'factor' ? prove(response, context, account) : enrol(response, context);
  };

  async function enrol(response: string, context: PasskeyContext): Promise<LoginProof> {
    if (!passkeys.isEnabled) return refused(DISABLED, ENROLMENT);
    const checked = await passkeys.checkCreated(response, context);
    if (checked instanceof RefusedPasskey) return refused(checked.message, ENROLMENT);
    return {
      proof: checked.proof,
      async use(use): Promise<UsedProof | WrongProof> {
        const stored = await passkeys.store(use.tx, checked, { account: use.account, label: LABEL, now: use.now });
        if (stored instanceof RefusedPasskey) return fail(use, stored.message, ENROLMENT);
        return { created: 'passkey', recoveryCodes: await addFactor(use.tx, use.account, 'passkey', use.now) };
      },
    };
  }
}

/** Creates a function that checks a passkey of an account, and uses it in a transaction. */
export function createProvePasskey(passkeys: Pick<ProvingPasskeys, 'isEnabled' | 'check' | 'use'>) {
  return async (response: string, context: PasskeyContext, account: Account): Promise<LoginProof> => {
    if (!passkeys.isEnabled) return refused(DISABLED);
    const checked = await passkeys.check(response, context, account);
    if (checked instanceof RefusedPasskey) return refused(checked.message);
    return {
      proof: checked.proof,
      async use(use) {
        const problem = await passkeys.use(use, checked);
        return problem ? fail(use, problem.message) : { recoveryCodes: [] };
      },
    };
  };
}

function refused(reason: string, details?: FailureDetails): LoginProof {
  return { proof: UNPROVEN, use: async (use) => fail(use, reason, details) };
}

function fail({ refuse, account }: ProofUse, reason: string, details?: FailureDetails): WrongProof {
  refuse(factorEvent('second-factor.failed', account, { method: 'passkey', reason, ...details }));
  return { wrong: reason };
}
