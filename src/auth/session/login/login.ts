import type { LoginRequest, LoginResponse } from '../../../../proto/gen/authservice/session/v1/session_service.ts';
import { isOver, type Clock } from '../../../platform/clock.ts';
import type { BackgroundRetries } from '../../../platform/concurrency/background-retries.ts';
import { isOutcomeUnknown } from '../../../platform/db/errors.ts';
import { newIdAfter } from '../../../platform/db/ids.ts';
import { latestWrite } from '../../../platform/db/limits.ts';
import { DependencyUnavailableError, ServiceError, type Violation } from '../../../platform/errors.ts';
import { prefixedRoles } from '../../principal/account.ts';
import { accountMessage } from '../../identity/account-message.ts';
import type { AuthenticationManager } from '../../identity/authentication/authentication-manager.ts';
import { MISSING_LOGIN_CREDENTIALS } from '../../../platform/problem/catalogue.ts';
import { canonicalUsername, isPossiblePassword, PASSWORD_LENGTH, USERNAME_LENGTH } from '../../identity/login-name.ts';
import type { Call } from '../../../platform/rpc/types.ts';
import type { AccessTokens } from '../../token/access-token.ts';
import { browserOriginOf } from '../transport/browser-origin.ts';
import type { FailureLimits } from './failure-limit.ts';
import { createEndSurplus } from './end-surplus.ts';
import { discloseLoginFailure, isRefusedLogin, type Disclosure } from './login-disclosure.ts';
import type { RevokeFamily } from '../revocation/revoke-family.ts';
import { policyOf, type TransportPolicies } from '../transport/transport-policy.ts';
import { slidingExpiry, type SessionFamily } from '../session-family.ts';
import type { SessionStore } from '../session-store.ts';

export interface LoginDependencies {
  readonly manager: AuthenticationManager;
  readonly failureLimits: FailureLimits;
  readonly sessions: SessionStore;
  readonly revokeFamily: RevokeFamily;
  readonly retries: BackgroundRetries;
  readonly sessionsPerAccount: number;
  readonly transports: TransportPolicies;
  readonly tokens: AccessTokens;
  readonly disclosure: Disclosure;
  readonly clock: Clock;
}

/** SessionService.Login: creates a session from a username and a password. */
export function createLogin(options: LoginDependencies) {
  const { manager, failureLimits, sessions, retries, transports, tokens, disclosure, clock } = options;
  const endSurplus = createEndSurplus({ ...options, limit: options.sessionsPerAccount });

  return async (request: LoginRequest, call: Call): Promise<LoginResponse> => {
    const transport = policyOf(transports, request.refreshTokenTransport);
    const origin = browserOriginOf(request);
    const attempt = presentedCredentials(request);
    await failureLimits.login.assertBelow(call);
    let inserted: SessionFamily | undefined;
    try {
      const opened = await manager.authenticate(attempt, call, async (account) => {
        const now = clock();
        const { rememberMe } = request;
        const absoluteExpiresAt =
          transport.absoluteLifetimeMs === undefined ? undefined : now + transport.absoluteLifetimeMs;
        const expiresAt = slidingExpiry(now, transport.idleWindowMs(rememberMe), absoluteExpiresAt);
        const id = newIdAfter(account.endedSessions?.through);
        const { id: accountId, tenantId } = account;
        const roles = prefixedRoles(account.roles);
        const subject = { accountId, email: transport.emailOf(account), tenantId, roles, sessionId: id };
        const access = await tokens.sign(subject, transport.accessTokenTtlMs);
        const token = await transport.issue({ id, expiresAt }, 1);
        const family: SessionFamily = {
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
          await endSurplus(tx, record, account, call.deadline);
          inserted = family;
          await sessions.insert(tx, family, call.clientAddress, call.deadline);
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
      throw discloseLoginFailure(error, disclosure, transport.stored);
    }
  };

  /** Removes a session whose tokens no caller has received. */
  function removeUnreceived(family: SessionFamily | undefined, { deadline }: Call): void {
    if (family) void retries.run(() => sessions.remove(family), latestWrite(deadline));
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
