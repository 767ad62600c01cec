// A passkey that answers the challenge of a login. Its signature is checked before the transaction, which only uses it.
import { addFactor } from '../../factors/change-factors.ts';
import type { Passkeys, RefusedPasskey } from '../../factors/passkeys/passkeys.ts';
import type { Proof } from '../../factors/proofs.ts';
import { factorEvent, type FactorUse } from '../../factors/use-code.ts';
import type { OpenChallenge } from './answer-challenge.ts';
import type { LoginProof, PrepareProof, UsedProof } from './login-proof.ts';
import { passkeyFor } from './second-factor-passkey.ts';

export type ProvingPasskeys = Pick<Passkeys, 'isEnabled' | 'check' | 'checkCreated' | 'use' | 'store'>;

/** The name of a passkey that was created during a login. Its owner can change it. */
const LABEL = 'Passkey';
/** Of a passkey that is refused: no session is opened for it. */
const UNPROVEN: Proof = { kind: 'passkey', backupEligible: true, userVerified: false };

/** A wrong passkey counts as a try of the challenge. It does not count towards the lock of codes, and is not stopped by it. */
export function createPreparePasskey(passkeys: ProvingPasskeys): PrepareProof {
  return async (response, open) => {
    if (!passkeys.isEnabled) return refused({ kind: 'invalid', detail: 'the service has no passkeys' }, open);
    return open.challenge.kind === 'factor' ? prove(response, open) : enrol(response, open);
  };

  async function prove(response: string, open: OpenChallenge): Promise<LoginProof> {
    const checked = await passkeys.check(response, passkeyFor(open.challenge), open.account);
    if (checked.kind !== 'proven') return refused(checked, open);
    return {
      proof: checked.proof,
      async use(use) {
        const problem = await passkeys.use(use.tx, checked, use.now);
        return problem ? fail(use, problem, open) : { recoveryCodes: [] };
      },
    };
  }

  async function enrol(response: string, open: OpenChallenge): Promise<LoginProof> {
    const checked = await passkeys.checkCreated(response, passkeyFor(open.challenge));
    if (checked.kind !== 'created') return refused(checked, open);
    return {
      proof: checked.proof,
      async use(use): Promise<UsedProof | undefined> {
        const stored = await passkeys.store(use.tx, checked, { account: use.account, label: LABEL, now: use.now });
        if ('kind' in stored) return fail(use, stored, open);
        return { created: 'passkey', recoveryCodes: await addFactor(use.tx, use.account, 'passkey', use.now) };
      },
    };
  }
}

function refused(problem: RefusedPasskey, open: OpenChallenge): LoginProof {
  return { proof: UNPROVEN, use: async (use) => fail(use, problem, open) };
}

function fail({ record, account }: FactorUse, { detail }: RefusedPasskey, { challenge }: OpenChallenge): undefined {
  const during = challenge.kind === 'enrolment' && { during: 'enrolment' };
  record(factorEvent('second-factor.failed', account, { method: 'passkey', reason: detail, ...during }));
}
