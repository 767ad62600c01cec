// Confirms a session by a second factor, which is used in the transaction that stores the new time of the session.
import type { ConfirmSessionResponse } from '../../../proto/gen/authservice/session/v1/session_service.ts';
import type { Clock } from '../../platform/clock.ts';
import { ServiceError, type FactorMethod } from '../../platform/errors.ts';
import type { AuditLog } from '../audit/trail/audit-log.ts';
import type { PasskeyContext } from '../factors/passkeys/passkey-challenges.ts';
import type { UseCode } from '../factors/use-code.ts';
import type { Call } from '../access/principal.ts';
import type { CompleteLoginDependencies } from './login/complete-login.ts';
import { WRONG_CODE, type LoginProof } from './login/login-proof.ts';
import { createProvePasskey, type ProvingPasskeys } from './login/passkey-proof.ts';
import type { createPrepareConfirmation, SessionUser } from './prepare-confirmation.ts';

export interface ConfirmByFactorDependencies extends Pick<CompleteLoginDependencies, 'lockAccountWithTenant'> {
  readonly prepare: ReturnType<typeof createPrepareConfirmation>;
  readonly useCode: UseCode;
  readonly passkeys: Pick<ProvingPasskeys, 'isEnabled' | 'check' | 'use'>;
  readonly audit: AuditLog;
  readonly clock: Clock;
}

/** Creates the functions that confirm a session by a factor. A wrong factor is counted and committed before it is refused. */
export function createConfirmByFactor(options: ConfirmByFactorDependencies) {
  const { prepare, useCode, passkeys, lockAccountWithTenant, audit, clock } = options;
  const provePasskey = createProvePasskey(passkeys);

  return {
    totp: (code: string, user: SessionUser, call: Call) =>
      confirm('totp', user, call, () => ({
        proof: { kind: 'totp' },
        use: async (use) => ((await useCode(use, 'totp', code)) ? { recoveryCodes: [] } : WRONG_CODE),
      })),

    passkey: (response: string, user: SessionUser, call: Call) =>
      confirm('passkey', user, call, () => provePasskey(response, confirmationIn(user.sessionId), user.account)),
  };

  async function confirm(
    method: FactorMethod,
    user: SessionUser,
    call: Call,
    prove: () => LoginProof | Promise<LoginProof>,
  ): Promise<ConfirmSessionResponse> {
    const { account } = user;
    // Not counted: a lock must not await a factor that the account does not have yet.
    if (!account.factors.includes(method))
      throw new ServiceError('SECOND_FACTOR_INVALID', { detail: `the account has no ${method}` });
    const { proof, use } = await prove();
    const prepared = await prepare(user, proof, call);
    const response = await audit.commit(call, async (tx, record, refuse) => {
      const locked = await lockAccountWithTenant(tx, account, call.deadline);
      await prepared.hold(tx);
      await call.recheck(tx);
      if (!locked) return { wrong: 'the account does not exist any more' };
      const used = await use({ tx, record, refuse, account: locked.account, now: clock() });
      if ('wrong' in used) return used;
      record(await prepared.confirm(tx));
      return prepared.response;
    });
    if ('wrong' in response) throw new ServiceError('SECOND_FACTOR_INVALID', { detail: response.wrong });
    return response;
  }
}

/** The options of a confirmation are valid in the session that asked for them. */
export function confirmationIn(sessionId: string): PasskeyContext {
  return { purpose: 'confirmation', boundTo: sessionId };
}
