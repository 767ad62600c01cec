import { ServiceError } from '../../platform/errors.ts';
import { addFactor } from './change-factors.ts';
import { claimTotpStep, findFactors, NO_PENDING_TOTP, updateFactors } from './factor-store.ts';
import { matchTotp } from './totp.ts';
import type { TotpSecrets } from './totp-secrets.ts';
import type { FactorUse } from './use-code.ts';

/** The transaction in which a TOTP is added. It has locked the account. */
type Addition = Pick<FactorUse, 'tx' | 'account' | 'now'>;

/**
 * Adds a TOTP to an account, also in place of another one, if its first code is right, and uses the step of the code. Returns the
 * recovery codes if it is the first factor; undefined if the code is wrong or its step was used before. The caller ends the other
 * sessions.
 */
export type ConfirmTotp = (addition: Addition, encrypted: Buffer, code: string) => Promise<string[] | undefined>;

export function createConfirmTotp(secrets: TotpSecrets): ConfirmTotp {
  return async ({ tx, account, now }, encrypted, code) => {
    const { totpLastStep: lastStep } = await findFactors(tx, account);
    const step = matchTotp(secrets.decrypt(account.id, encrypted), code, { now, lastStep });
    if (step === undefined) return undefined;
    await updateFactors(tx, account, { totpSecret: encrypted, totpCreatedAt: now, ...NO_PENDING_TOTP });
    // Only if another node of a cluster has used the step meanwhile.
    if (!(await claimTotpStep(tx, account, step, now))) throw new ServiceError('SECOND_FACTOR_INVALID');
    return addFactor(tx, account, 'totp', now);
  };
}
