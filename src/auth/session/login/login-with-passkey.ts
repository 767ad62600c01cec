import type {
  CreatePasskeyLoginOptionsRequest,
  CreatePasskeyLoginOptionsResponse,
  LoginWithPasskeyRequest,
  LoginWithPasskeyResponse,
} from '../../../../proto/gen/authservice/session/v1/session_service.ts';
import type { RunRefusable } from '../../../platform/concurrency/pace-failures.ts';
import type { Statements } from '../../../platform/db/types.ts';
import { DependencyUnavailableError, ServiceError, type ReasonName } from '../../../platform/errors.ts';
import type { AuditLog } from '../../audit/trail/audit-log.ts';
import type { PasskeyContext } from '../../factors/passkeys/passkey-challenges.ts';
import { ownerOf, RefusedPasskey, type Passkeys } from '../../factors/passkeys/passkeys.ts';
import { provenMethods } from '../../factors/proofs.ts';
import { factorEvent } from '../../factors/use-code.ts';
import type { FoundAccount } from '../../identity/account-row.ts';
import { authenticationEvent } from '../../identity/authentication/authenticate-client.ts';
import { findLoginRefusal } from '../../identity/authentication/login-refusal.ts';
import type { Policies } from '../../access/policy/policies.ts';
import type { Account } from '../../access/account.ts';
import type { Call } from '../../access/principal.ts';
import { allowsOrigin, ORIGIN_NOT_ALLOWED } from '../session-limits.ts';
import { browserOriginOf, type BrowserOrigin } from '../transport/browser-origin.ts';
import { policyOf, type TransportPolicies, type TransportPolicy } from '../transport/transport-policy.ts';
import type { FindChallengeDependencies } from './answer-challenge.ts';
import type { CompleteLoginDependencies } from './complete-login.ts';
import { createLimitFailures, type LoginFailureDependencies } from './failure-limit.ts';
import { createRunLogin, type OpenSessionDependencies } from './open-session.ts';

export interface PasskeyLoginDependencies
  extends
    OpenSessionDependencies,
    LoginFailureDependencies,
    Pick<FindChallengeDependencies, 'accounts'>,
    Pick<CompleteLoginDependencies, 'lockAccountWithTenant'> {
  readonly passkeys: Pick<Passkeys, 'assertEnabled' | 'loginOptions' | 'checkLogin' | 'use'>;
  /** On a cluster: makes the transaction fail if another node changes the account. */
  readonly guardAccount: (tx: Statements, account: Pick<Account, 'tenantId' | 'id'>) => Promise<void>;
  readonly policies: Pick<Policies, 'of'>;
  readonly transports: TransportPolicies;
  readonly audit: AuditLog;
  /** Runs a check whose refusals must not reveal differences between them. */
  readonly runRefusable: RunRefusable;
}

/** SessionService: the RPCs of a login with a passkey alone. */
export function passkeyLoginHandlers(options: PasskeyLoginDependencies) {
  const { passkeys, accounts, lockAccountWithTenant, guardAccount, policies, transports, audit, clock, runRefusable } =
    options;
  const runLogin = createRunLogin(options);
  const limitFailures = createLimitFailures(options);

  return {
    createPasskeyLoginOptions: ({
      browserOrigin,
    }: CreatePasskeyLoginOptionsRequest): Promise<CreatePasskeyLoginOptionsResponse> =>
      passkeys.loginOptions(loginFrom(browserOrigin)),

    async loginWithPasskey(request: LoginWithPasskeyRequest, call: Call): Promise<LoginWithPasskeyResponse> {
      const transport = policyOf(transports, request.refreshTokenTransport);
      passkeys.assertEnabled();
      return limitFailures(call, () => runRefusable(() => logIn(request, transport, call)));
    },
  };

  /** The account is read before the transaction, for its tokens, and again in it, where it cannot change any more. */
  async function logIn(
    request: LoginWithPasskeyRequest,
    transport: TransportPolicy,
    call: Call,
  ): Promise<LoginWithPasskeyResponse> {
    const origin = browserOriginOf(request);
    const proven = await passkeys.checkLogin(request, loginFrom(origin.text));
    if (proven instanceof RefusedPasskey) throw refuse(proven, call);
    const found = await accounts.find(ownerOf(proven.passkey));
    if (!found) throw new ServiceError('SECOND_FACTOR_INVALID', { detail: 'the account does not exist any more' });
    const methods = provenMethods([proven.proof]);
    const { rememberMe, userAgent, refreshTokens } = request;
    const proofs = [proven.proof.kind];
    const asked = { transport, origin, rememberMe, methods, proofs, userAgent, refreshTokens };
    const outcome = await runLogin(call, async (prepare) => {
      const open = await prepare(asked, found.account, policies.of(found.definitions));
      return audit.commit(call, async (tx, record, refuse) => {
        const locked = await lockAccountWithTenant(tx, found.account, call.deadline);
        assertMayLogIn(locked, origin, call);
        assertUnchanged(found.account, locked.account);
        const { account } = locked;
        // A password login changes the row by itself, and other factors the challenge, which ends with the account.
        await guardAccount(tx, account);
        const refused = await passkeys.use({ tx, record, account, now: clock() }, proven);
        if (!refused) return { login: await open(tx, record, account) };
        refuse(factorEvent('second-factor.failed', account, { method: 'passkey', reason: refused.message }));
        return refused;
      });
    });
    if (outcome instanceof RefusedPasskey) throw outcome;
    return outcome;
  }

  /** Records a passkey that does not verify. Its account is known, but has not been proven. */
  function refuse(refused: RefusedPasskey, call: Call): RefusedPasskey {
    const { tenantId, id: accountId } = refused.account ?? { tenantId: undefined, id: undefined };
    const details = { method: 'passkey', reason: refused.reason };
    audit.refuse(call, { event: 'login.failed', tenantId, accountId, username: undefined, details });
    return refused;
  }

  function assertMayLogIn(
    found: FoundAccount | undefined,
    origin: BrowserOrigin,
    call: Call,
  ): asserts found is FoundAccount {
    const refusal = findLoginRefusal('factor', found, found && findPolicyRefusal(found, origin), clock());
    if (!refusal) return;
    const details = { method: 'passkey', reason: refusal.reason };
    audit.refuse(
      call,
      authenticationEvent('login.failed', { account: found?.account, username: found?.account.username }, details),
    );
    throw new ServiceError(refusal.reason satisfies ReasonName, { detail: refusal.detail });
  }

  function findPolicyRefusal({ definitions }: FoundAccount, origin: BrowserOrigin): string | undefined {
    const policy = policies.of(definitions);
    if (!policy.effective.passkeyLogin) return 'the tenant does not allow logins with a passkey alone';
    return allowsOrigin(policy, origin) ? undefined : ORIGIN_NOT_ALLOWED;
  }
}

/** The token was signed with the roles of the account as it was, and the session was made before all sessions may have ended. */
function assertUnchanged(before: Account, now: Account): void {
  const isSame =
    before.roles.join() === now.roles.join() && before.endedSessions?.through === now.endedSessions?.through;
  if (!isSame) throw new DependencyUnavailableError('the account has changed during the login');
}

/** The challenge of a login is valid for the page that asked for it. */
function loginFrom(browserOrigin: string | undefined): PasskeyContext {
  return { purpose: 'login', boundTo: browserOrigin ?? '' };
}
