import type {
  ChangeTemporaryPasswordRequest,
  ChangeTemporaryPasswordResponse,
} from '../../../../proto/gen/authservice/session/v1/session_service.ts';
import type { RunRefusable } from '../../../platform/concurrency/pace-failures.ts';
import type { Database } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { AuditLog } from '../../audit/trail/audit-log.ts';
import { assertSameFactors } from '../../factors/challenges.ts';
import { authenticationEvent } from '../../identity/authentication/authenticate-client.ts';
import { findLoginRefusal, passwordExpired } from '../../identity/authentication/login-refusal.ts';
import type { PasswordHasher } from '../../identity/authentication/password-hasher.ts';
import type { AccountAdministration, EndSessions } from '../../identity/users/account-administration.ts';
import { assertPassword, type CheckPassword } from '../../identity/users/password-policy.ts';
import { replacePassword } from '../../identity/users/set-password.ts';
import type { Notify } from '../../mail/notices.ts';
import type { Policies } from '../../access/policy/policies.ts';
import { BY_PASSWORD } from '../../access/authentication.ts';
import type { Account } from '../../access/account.ts';
import type { Call } from '../../access/principal.ts';
import { createFindChallenge, type FindChallengeDependencies, type OpenChallenge } from './answer-challenge.ts';
import { createLimitFailures, type LoginFailureDependencies } from './failure-limit.ts';
import { createFindNextStep, stepRequired, type NextStepDependencies } from './next-step.ts';
import { createRunLogin, type OpenSessionDependencies } from './open-session.ts';
import { allowsOrigin, ORIGIN_NOT_ALLOWED } from '../session-limits.ts';
import type { SessionStore } from '../session-store.ts';
import { browserOriginOf, type BrowserOrigin } from '../transport/browser-origin.ts';
import { policyOf, type TransportPolicies, type TransportPolicy } from '../transport/transport-policy.ts';

export interface ChangeTemporaryPasswordDependencies
  extends
    OpenSessionDependencies,
    LoginFailureDependencies,
    Omit<FindChallengeDependencies, 'accounts'>,
    Omit<NextStepDependencies, 'loginChallenges'> {
  readonly accounts: FindChallengeDependencies['accounts'] & {
    findByUsername(username: string): Promise<{ readonly passwordHash?: string | undefined } | undefined>;
  };
  readonly database: Database;
  readonly sessions: OpenSessionDependencies['sessions'] & Pick<SessionStore, 'summarize'>;
  readonly administration: Pick<AccountAdministration, 'changeByToken'>;
  readonly hasher: PasswordHasher;
  readonly checkPassword: CheckPassword;
  readonly endSessions: EndSessions;
  readonly notify: Notify;
  readonly policies: Pick<Policies, 'of'>;
  readonly transports: TransportPolicies;
  readonly audit: AuditLog;
  /** Runs a check whose refusals must not reveal differences between them. */
  readonly runRefusable: RunRefusable;
}

/**
 * SessionService.ChangeTemporaryPassword: answers the challenge of a login with a temporary password. One transaction uses the challenge,
 * stores the new password, and opens the session or stores the challenge of the next step.
 */
export function createChangeTemporaryPassword(options: ChangeTemporaryPasswordDependencies) {
  const { database, accounts, sessions, administration, loginChallenges, hasher, checkPassword } = options;
  const { policies, transports, audit, clock, runRefusable } = options;
  const runLogin = createRunLogin(options);
  const limitFailures = createLimitFailures(options);
  const findChallenge = createFindChallenge(options);
  const findNextStep = createFindNextStep(options);

  return async (request: ChangeTemporaryPasswordRequest, call: Call): Promise<ChangeTemporaryPasswordResponse> => {
    const transport = policyOf(transports, request.refreshTokenTransport);
    return limitFailures(call, () => runRefusable(() => change(request, transport, call)));
  };

  async function change(
    request: ChangeTemporaryPasswordRequest,
    transport: TransportPolicy,
    call: Call,
  ): Promise<ChangeTemporaryPasswordResponse> {
    const origin = browserOriginOf(request);
    const open = await findChallenge({ challenge: request.challenge, transport, origin }, ['password-change']);
    const { challenge, account, definitions } = open;
    // Before the challenge is used, so that it stays valid.
    await assertPassword(checkPassword, 'newPassword', request.newPassword, account);
    await assertIsNew(account, request.newPassword, call);
    const passwordHash = await hasher.hash(request.newPassword, call);
    const policy = policies.of(definitions);
    const { rememberMe } = challenge;
    const terms = { transport: transport.stored, origin: origin.text, rememberMe };
    const step = findNextStep({ ...account, passwordTemporaryUntil: undefined }, policy, terms);
    const { last: lastEnded } = await sessions.summarize(database, account, clock());
    const { userAgent, refreshTokens } = request;
    const asked = {
      transport,
      origin,
      rememberMe,
      methods: BY_PASSWORD,
      proofs: ['password'] as const,
      userAgent,
      refreshTokens,
      lastEnded,
    };
    const login = await runLogin(call, async (prepare) => {
      const openSession = step ? undefined : await prepare(asked, account, policy);
      return audit.commit(call, async (tx, record) => {
        const changed = await administration.changeByToken(tx, record, call, account, async (locked) => {
          assertSameFactors(challenge, locked);
          await loginChallenges.use(tx, challenge, clock());
          assertMayLogIn({ ...open, account: locked.account }, origin, call);
          await replacePassword(locked, passwordHash, options, call);
        });
        await step?.insert(tx, call.deadline);
        return openSession?.(tx, record, changed);
      });
    });
    if (step) throw stepRequired(step);
    return { login };
  }

  /** Throws VALIDATION_ERROR if the new password is the temporary one, which others know. */
  async function assertIsNew({ username }: Account, password: string, call: Call): Promise<void> {
    const passwordHash = (await accounts.findByUsername(username))?.passwordHash;
    const { isCorrect } = await hasher.runLimited(call, passwordHash, (verify) => verify(passwordHash, password));
    if (!isCorrect) return;
    const message = 'must not be the current password';
    throw new ServiceError('VALIDATION_ERROR', {
      publicMessage: 'The password does not meet the policy',
      violations: [{ message, format: 'password-policy', props: ['newPassword'] }],
    });
  }

  /** Throws the reason why the account may not log in now. It can have changed since its password was right. */
  function assertMayLogIn(found: OpenChallenge, origin: BrowserOrigin, call: Call): void {
    const ofPolicy = allowsOrigin(policies.of(found.definitions), origin) ? undefined : ORIGIN_NOT_ALLOWED;
    const refusal = findLoginRefusal('factor', found, ofPolicy, clock()) ?? passwordExpired(found.account, clock());
    if (!refusal) return;
    const { account } = found;
    const details = { reason: refusal.reason };
    audit.refuse(call, authenticationEvent('login.failed', { account, username: account.username }, details));
    throw new ServiceError(refusal.reason, { detail: refusal.detail });
  }
}
