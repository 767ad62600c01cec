import type {
  ConfirmSessionRequest,
  ConfirmSessionResponse,
  CreateConfirmationPasskeyOptionsRequest,
  CreateConfirmationPasskeyOptionsResponse,
} from '../../../proto/gen/authservice/session/v1/session_service.ts';
import { ServiceError, type FactorMethod } from '../../platform/errors.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import type { FactorOptions } from '../factors/decide-factors.ts';
import type { Passkeys } from '../factors/passkeys/passkeys.ts';
import type { AuthenticationManager } from '../identity/authentication/authentication-manager.ts';
import { passwordExpired } from '../identity/authentication/login-refusal.ts';
import type { Account } from '../access/account.ts';
import type { Call } from '../access/principal.ts';
import { confirmationIn, createConfirmByFactor, type ConfirmByFactorDependencies } from './confirm-by-factor.ts';
import type { ProofCounts } from './login/count-answers.ts';
import { createLimitFailures, type LoginFailureDependencies } from './login/failure-limit.ts';
import {
  createPrepareConfirmation,
  type PrepareConfirmationDependencies,
  type SessionUser,
} from './prepare-confirmation.ts';

export interface ConfirmSessionDependencies
  extends PrepareConfirmationDependencies, Omit<ConfirmByFactorDependencies, 'prepare'>, LoginFailureDependencies {
  readonly manager: Pick<AuthenticationManager, 'confirm'>;
  readonly passkeys: Passkeys;
  readonly factorOptions: FactorOptions;
  readonly confirmationCounts: Pick<ProofCounts, 'counted'>;
}

type PresentedProof = NonNullable<ConfirmSessionRequest['proof']>;

/** The factors that can confirm a session. A recovery code opens one session only. */
const CONFIRMING: readonly FactorMethod[] = ['totp', 'passkey'];

/**
 * SessionService: confirms a session, by authenticating its user again. It counts, locks and is recorded like a login. A password does
 * not suffice for an account that has a second factor.
 */
export function confirmSessionHandlers(options: ConfirmSessionDependencies) {
  const { manager, passkeys, factorOptions, confirmationCounts, clock, lockAccountWithTenant } = options;
  const limitFailures = createLimitFailures(options);
  const prepare = createPrepareConfirmation(options);
  const confirmByFactor = createConfirmByFactor({ ...options, prepare });

  const confirm: Readonly<Record<PresentedProof['$case'], Confirm>> = {
    password: confirmByPassword,
    totp: confirmByFactor.totp,
    passkey: confirmByFactor.passkey,
  };

  return {
    /** Refuses callers without a session before the request is validated. */
    confirmSession: loadThenHandle(
      async (_request: ConfirmSessionRequest, call: Call) => void requireSession(call),
      confirmationCounts.counted(
        async ({ proof }: ConfirmSessionRequest, call: Call): Promise<ConfirmSessionResponse> => {
          const user = requireSession(call);
          if (!proof) throw proofMissing();
          return limitFailures(call, () => confirm[proof.$case](proof.value, user, call));
        },
      ),
    ),

    async createConfirmationPasskeyOptions(
      _request: CreateConfirmationPasskeyOptionsRequest,
      call: Call,
    ): Promise<CreateConfirmationPasskeyOptionsResponse> {
      const { account, sessionId } = requireSession(call);
      passkeys.assertEnabled();
      if (!account.factors.includes('passkey'))
        throw new ServiceError('NOT_FOUND', { publicMessage: 'The account has no passkey' });
      return { options: await passkeys.requestOptions(confirmationIn(sessionId), account) };
    },
  };

  async function confirmByPassword(password: string, user: SessionUser, call: Call): Promise<ConfirmSessionResponse> {
    const { account } = user;
    assertPasswordSuffices(account);
    return manager.confirm(account, password, call, async () => {
      const outdated = passwordExpired(account, clock());
      if (outdated) throw new ServiceError(outdated.reason, { detail: outdated.detail });
      const prepared = await prepare(user, { kind: 'password' }, call);
      return async (tx, record, endAttempt) => {
        // First, because two confirmations that both share the row would wait for each other.
        await lockAccountWithTenant(tx, account, call.deadline);
        await prepared.hold(tx);
        // A factor can have been added since.
        assertPasswordSuffices((await call.recheck(tx))!.account);
        await endAttempt();
        record(await prepared.confirm(tx));
        return prepared.response;
      };
    });
  }

  /** Throws SECOND_FACTOR_REQUIRED for an account with a factor, before its password is evaluated. */
  function assertPasswordSuffices({ factors }: Pick<Account, 'factors'>): void {
    if (factors.length === 0) return;
    const isUsable = (method: FactorMethod) => method !== 'passkey' || factorOptions.passkeys;
    const methods = CONFIRMING.filter((method) => factors.includes(method) && isUsable(method));
    if (methods.length === 0) throw new ServiceError('LOGIN_POLICY_REJECTED', { detail: UNUSABLE });
    throw new ServiceError('SECOND_FACTOR_REQUIRED', {
      publicMessage: 'The account has a second factor, which must confirm the session',
      stepUp: { methods },
    });
  }
}

type Confirm = (value: string, user: SessionUser, call: Call) => Promise<ConfirmSessionResponse>;

const UNUSABLE = 'no second factor of the account can confirm a session: log in again';

function requireSession({ principal }: Call): SessionUser {
  const { sessionId } = principal!;
  if (sessionId === undefined) throw new ServiceError('PERMISSION_DENIED', { detail: 'the credential has no session' });
  return { ...principal!, sessionId };
}

function proofMissing(): ServiceError {
  const violation = { message: 'is required: password, totp or passkey', format: 'required', props: ['proof'] };
  return new ServiceError('VALIDATION_ERROR', { violations: [violation] });
}
