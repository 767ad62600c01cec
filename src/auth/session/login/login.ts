import type { LoginRequest, LoginResponse } from '../../../../proto/gen/authservice/session/v1/session_service.ts';
import { isOver, type Clock, type Deadline } from '../../../platform/clock.ts';
import type { BackgroundRetries } from '../../../platform/concurrency/background-retries.ts';
import { isOutcomeUnknown } from '../../../platform/db/errors.ts';
import { newIdAfter } from '../../../platform/db/ids.ts';
import { latestWrite } from '../../../platform/db/limits.ts';
import type { Statements } from '../../../platform/db/types.ts';
import { DependencyUnavailableError, ServiceError, type ReasonName, type Violation } from '../../../platform/errors.ts';
import { MISSING_LOGIN_CREDENTIALS } from '../../../platform/problem/catalogue.ts';
import type { Call } from '../../principal/principal.ts';
import type { AuditEvent } from '../../audit/audit-log.ts';
import { accountMessage } from '../../identity/account-message.ts';
import type { AuthenticationManager } from '../../identity/authentication/authentication-manager.ts';
import { canonicalUsername, isPossiblePassword, PASSWORD_LENGTH, USERNAME_LENGTH } from '../../identity/login-name.ts';
import type { TenantPolicy } from '../../policy/effective-policy.ts';
import type { Account } from '../../principal/account.ts';
import { BY_PASSWORD } from '../../principal/authentication.ts';
import type { FailureLimits } from './failure-limit.ts';
import type { EndSession } from '../revocation/end-sessions.ts';
import { slidingExpiry, type Session, type StoredTransport } from '../session.ts';
import { allowsOrigin, limitTransport, ORIGIN_NOT_ALLOWED } from '../session-limits.ts';
import type { SessionStore } from '../session-store.ts';
import { browserOriginOf } from '../transport/browser-origin.ts';
import { policyOf, type TransportPolicies } from '../transport/transport-policy.ts';
import type { AccessTokens } from '../../token/access-token.ts';

export interface LoginDependencies {
  readonly manager: AuthenticationManager;
  readonly failureLimits: FailureLimits;
  readonly sessions: SessionStore;
  readonly endSession: EndSession;
  readonly retries: BackgroundRetries;
  readonly transports: TransportPolicies;
  readonly tokens: AccessTokens;
  readonly disclosure: Disclosure;
  readonly clock: Clock;
}

/** SessionService.Login: creates a session from a username and a password. */
export function createLogin(options: LoginDependencies) {
  const { manager, failureLimits, sessions, endSession, retries, transports, tokens, disclosure, clock } = options;

  return async (request: LoginRequest, call: Call): Promise<LoginResponse> => {
    const presented = policyOf(transports, request.refreshTokenTransport);
    const origin = browserOriginOf(request);
    const attempt = {
      ...presentedCredentials(request),
      findPolicyRefusal: (policy: TenantPolicy) => (allowsOrigin(policy, origin) ? undefined : ORIGIN_NOT_ALLOWED),
    };
    await failureLimits.login.assertBelow(call);
    let inserted: Session | undefined;
    try {
      const opened = await manager.authenticate(attempt, call, async (account, policy) => {
        const transport = limitTransport(presented, policy);
        const now = clock();
        const { rememberMe } = request;
        const absoluteExpiresAt =
          transport.absoluteLifetimeMs === undefined ? undefined : now + transport.absoluteLifetimeMs;
        const expiresAt = slidingExpiry(now, transport.idleWindowMs(rememberMe), absoluteExpiresAt);
        const id = newIdAfter(account.endedSessions?.through);
        const { id: accountId, tenantId } = account;
        const roles = account.rights.prefixedRoles;
        const authentication = { authenticatedAt: now, methods: BY_PASSWORD };
        const email = transport.emailOf(account);
        const subject = { accountId, email, tenantId, roles, sessionId: id, authentication };
        const access = await tokens.sign(subject, transport.accessTokenTtlMs);
        const token = await transport.issue({ id, expiresAt }, 1);
        const session: Session = {
          ...token,
          id,
          tenantId,
          accountId,
          transport: transport.stored,
          rotationBatch: undefined,
          origin: origin.text,
          rememberMe,
          createdAt: now,
          refreshedAt: now,
          expiresAt,
          absoluteExpiresAt,
          accessExpiresAt: access.expiresAt,
          revokedAt: undefined,
          authTime: now,
          methods: BY_PASSWORD,
        };
        const response = {
          accessToken: access.token,
          expiresIn: Math.floor(transport.accessTokenTtlMs / 1000),
          ...transport.carry(token.value, {
            rememberMe,
            remainingMs: expiresAt - now,
            listedOrigin: origin.listed,
          }),
          account: accountMessage(account),
        };
        return async (tx, record) => {
          await endSurplus(tx, record, account, policy.effective.sessionsPerAccount, call.deadline);
          inserted = session;
          await sessions.insert(tx, session, call.clientAddress, call.deadline);
          return response;
        };
      });
      if (isOver(call.deadline)) {
        removeUnreceived(inserted, call);
        throw new DependencyUnavailableError('the login could not be completed in time');
      }
      return opened;
    } catch (error) {
      if (isOutcomeUnknown(error)) removeUnreceived(inserted, call);
      if (isRefusedLogin(error)) await failureLimits.login.countFailure(call);
      throw discloseLoginFailure(error, disclosure, presented.stored);
    }
  };

  /**
   * Ends the least recently used sessions and their access tokens until one more fits below the limit. The login has
   * locked the account's row, so the limit is exact even with concurrent logins.
   */
  async function endSurplus(
    tx: Statements,
    record: (event: AuditEvent) => void,
    account: Account,
    limit: number,
    deadline: Deadline,
  ): Promise<void> {
    const { tenantId, id: accountId, username } = account;
    for (const sessionId of await sessions.findLeastUsed(tx, account, limit - 1, clock())) {
      if (!(await endSession(tx, { tenantId, id: sessionId }, 'too-many', deadline))) continue;
      record({ event: 'session.revoked', tenantId, accountId, username, details: { sessionId, reason: 'too-many' } });
    }
  }

  /** Removes a session whose tokens no caller has received. */
  function removeUnreceived(session: Session | undefined, { deadline }: Call): void {
    if (session) void retries.run(() => sessions.remove(session), latestWrite(deadline));
  }
}

function presentedCredentials(request: LoginRequest): { username: string; password: string } {
  const username = canonicalUsername(request.username);
  const violations: Violation[] = [];
  if (username === undefined)
    violations.push({ message: `must have ${USERNAME_LENGTH}`, format: 'length', props: ['username'] });
  if (!isPossiblePassword(request.password)) {
    violations.push({ message: `must have ${PASSWORD_LENGTH}`, format: 'length', props: ['password'] });
  }
  if (username === undefined || violations.length > 0) {
    throw new ServiceError('VALIDATION_ERROR', { publicMessage: MISSING_LOGIN_CREDENTIALS, violations });
  }
  return { username, password: request.password };
}

type Disclosure = 'maximal' | 'minimal';

const UNIFORM: readonly ReasonName[] = [
  'ACCOUNT_NOT_FOUND',
  'LOGIN_POLICY_REJECTED',
  'ACCOUNT_DISABLED',
  'ACCOUNT_EXPIRED',
  'CREDENTIALS_EXPIRED',
  // Its text is the shown one. It is replaced like the others, so that all take the same time.
  'BAD_CREDENTIALS',
];

/**
 * The reasons that minimal disclosure replaces. Profile B keeps its 423, because there every username locks in the same
 * way.
 */
const REPLACED: Readonly<Record<StoredTransport, readonly ReasonName[]>> = {
  COOKIE: [...UNIFORM, 'ACCOUNT_LOCKED'],
  BODY: UNIFORM,
};

const REFUSALS: ReadonlySet<ReasonName> = new Set([...UNIFORM, 'ACCOUNT_LOCKED']);

/** Whether the credentials or the account were refused. An outage is not a refused login. */
function isRefusedLogin(error: unknown): boolean {
  return error instanceof ServiceError && REFUSALS.has(error.reason);
}

/** Replaces refusal reasons with the same bad-credentials error under minimal disclosure. */
function discloseLoginFailure(error: unknown, disclosure: Disclosure, transport: StoredTransport): unknown {
  const isReplaced =
    disclosure === 'minimal' && error instanceof ServiceError && REPLACED[transport].includes(error.reason);
  return isReplaced ? new ServiceError('BAD_CREDENTIALS', { cause: error }) : error;
}
