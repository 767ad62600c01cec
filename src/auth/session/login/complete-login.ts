import type {
  CompleteLoginRequest,
  CompleteLoginResponse,
} from '../../../../proto/gen/authservice/session/v1/session_service.ts';
import type { Deadline } from '../../../platform/clock.ts';
import type { RunRefusable } from '../../../platform/concurrency/pace-failures.ts';
import type { Database, Statements } from '../../../platform/db/types.ts';
import { ServiceError, type ReasonName } from '../../../platform/errors.ts';
import type { AuditLog } from '../../audit/trail/audit-log.ts';
import { assertSameFactors } from '../../factors/challenges.ts';
import { factorEvent } from '../../factors/use-code.ts';
import { provenMethods } from '../../factors/proofs.ts';
import type { FoundAccount } from '../../identity/account-row.ts';
import { authenticationEvent } from '../../identity/authentication/authenticate-client.ts';
import type { Refusal } from '../../identity/authentication/eligibility.ts';
import { findLoginRefusal, passwordExpired } from '../../identity/authentication/login-refusal.ts';
import type { Notify } from '../../mail/notices.ts';
import type { Policies } from '../../access/policy/policies.ts';
import type { Account } from '../../access/account.ts';
import type { Call } from '../../access/principal.ts';
import { createFindChallenge, type FindChallengeDependencies } from './answer-challenge.ts';
import { createLimitFailures, type LoginFailureDependencies } from './failure-limit.ts';
import { createPrepareProof, requireProof, type LoginProofDependencies } from './login-proofs.ts';
import { createRunLogin, type OpenSessionDependencies } from './open-session.ts';
import type { EndAllSessions } from '../revocation/end-sessions.ts';
import { allowsOrigin, ORIGIN_NOT_ALLOWED } from '../session-limits.ts';
import type { SessionStore } from '../session-store.ts';
import { browserOriginOf, type BrowserOrigin } from '../transport/browser-origin.ts';
import { policyOf, type TransportPolicies, type TransportPolicy } from '../transport/transport-policy.ts';

export interface CompleteLoginDependencies
  extends OpenSessionDependencies, LoginFailureDependencies, FindChallengeDependencies, LoginProofDependencies {
  readonly lockAccountWithTenant: (
    tx: Statements,
    account: Pick<Account, 'tenantId' | 'id'>,
    deadline: Deadline,
  ) => Promise<FoundAccount | undefined>;
  /** What applications may do without a session stays: the user has only got a factor. */
  readonly endAllSessionsAlone: EndAllSessions;
  readonly database: Database;
  readonly sessions: OpenSessionDependencies['sessions'] & Pick<SessionStore, 'summarize'>;
  readonly policies: Pick<Policies, 'of'>;
  readonly transports: TransportPolicies;
  readonly audit: AuditLog;
  readonly notify: Notify;
  /** Runs a check whose refusals must not reveal differences between them. */
  readonly runRefusable: RunRefusable;
}

/**
 * SessionService.CompleteLogin: answers the challenge of a login. One transaction uses the factor and the challenge and stores the
 * session, so that none of them happens without the others. A wrong answer is counted and committed before it is refused.
 */
export function createCompleteLogin(options: CompleteLoginDependencies) {
  const { loginChallenges, policies, transports, audit, clock, runRefusable } = options;
  const { database, sessions, lockAccountWithTenant, endAllSessionsAlone, notify } = options;
  const runLogin = createRunLogin(options);
  const limitFailures = createLimitFailures(options);
  const findChallenge = createFindChallenge(options);
  const prepareProof = createPrepareProof(options);

  return async (request: CompleteLoginRequest, call: Call): Promise<CompleteLoginResponse> => {
    requireProof(request);
    const transport = policyOf(transports, request.refreshTokenTransport);
    return limitFailures(call, () => runRefusable(() => complete(request, transport, call)));
  };

  async function complete(
    request: CompleteLoginRequest,
    transport: TransportPolicy,
    call: Call,
  ): Promise<CompleteLoginResponse> {
    const origin = browserOriginOf(request);
    const open = await findChallenge({ challenge: request.challenge, transport, origin });
    const { challenge, account, definitions } = open;
    const { proof, use } = await prepareProof(requireProof(request), open);
    const methods = provenMethods([{ kind: 'password' }, proof]);
    // A service whose clock is ahead can have opened it.
    const { last: lastEnded } =
      challenge.kind === 'enrolment' ? await sessions.summarize(database, account, clock()) : {};
    const asked = {
      transport,
      origin,
      rememberMe: challenge.rememberMe,
      methods,
      proofs: ['password', proof.kind] as const,
      userAgent: request.userAgent,
      refreshTokens: request.refreshTokens,
      lastEnded,
    };
    const completed = await runLogin(call, async (prepare) => {
      const openSession = await prepare(asked, account, policies.of(definitions));
      return audit.commit(call, async (tx, record, refuse) => {
        const locked = await lockAccountWithTenant(tx, account, call.deadline);
        const now = clock();
        await loginChallenges.countTry(tx, challenge, now, call.deadline);
        assertSameFactors(challenge, locked);
        assertMayLogIn(locked, origin, call);
        const used = await use({ tx, record, refuse, account: locked.account, now });
        if ('wrong' in used) return used;
        // If another node of a cluster has used it, one of both transactions fails at its commit.
        await loginChallenges.use(tx, challenge, now);
        if (used.created) {
          const sessionsEnded = await endAllSessionsAlone(tx, locked.account, 'account-changed', call.deadline);
          record(factorEvent('factor.created', locked.account, { method: used.created, sessionsEnded }));
          await notify(tx, 'factor-added', locked.account, now);
        }
        return { login: await openSession(tx, record, locked.account), recoveryCodes: used.recoveryCodes };
      });
    });
    if ('wrong' in completed) throw new ServiceError('SECOND_FACTOR_INVALID', { detail: completed.wrong });
    return completed;
  }

  /** Throws the reason why the account may not log in now. The account can have changed since its password was right. */
  function assertMayLogIn(found: FoundAccount, origin: BrowserOrigin, call: Call): void {
    const refusal = findRefusal(found, origin);
    if (!refusal) return;
    const { account } = found;
    const details = { reason: refusal.reason };
    audit.refuse(call, authenticationEvent('login.failed', { account, username: account.username }, details));
    throw new ServiceError(refusal.reason, { detail: refusal.detail });
  }

  function findRefusal(found: FoundAccount, origin: BrowserOrigin): Refusal<ReasonName> | undefined {
    const ofPolicy = allowsOrigin(policies.of(found.definitions), origin) ? undefined : ORIGIN_NOT_ALLOWED;
    return findLoginRefusal('factor', found, ofPolicy, clock()) ?? passwordExpired(found.account, clock());
  }
}
