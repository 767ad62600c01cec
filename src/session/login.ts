import { CredentialForm, type LoginRequest, type LoginResponse } from '../../proto/gen/session/v1/session_service.ts';
import type { Clock } from '../clock.ts';
import { newId } from '../db/ids.ts';
import { ServiceError, type Violation } from '../errors.ts';
import { prefixedRoles } from '../identity/account.ts';
import { accountMessage } from '../identity/account-message.ts';
import type { AuthenticationManager } from '../identity/authentication-manager.ts';
import { canonicalUsername, isPossiblePassword } from '../identity/username.ts';
import type { Call } from '../rpc/types.ts';
import type { AccessTokens } from '../token/access-token.ts';
import { discloseLoginFailure, type Disclosure } from './login-disclosure.ts';
import type { LoginRateLimit } from './login-rate-limit.ts';
import { idleWindowOf, refreshCookie, type SessionPolicy } from './refresh-cookie.ts';
import type { RefreshCredentials } from './refresh-credential.ts';
import { slidingExpiry } from './rotation.ts';
import type { SessionStore } from './session-store.ts';

export interface LoginDependencies {
  readonly manager: AuthenticationManager;
  readonly rateLimit: LoginRateLimit;
  readonly sessions: SessionStore;
  readonly credentials: RefreshCredentials;
  readonly tokens: AccessTokens;
  readonly policy: SessionPolicy;
  readonly disclosure: Disclosure;
  readonly clock: Clock;
}

/** SessionService.Login: a username and a password open a session family. */
export function createLogin(options: LoginDependencies) {
  const { manager, rateLimit, sessions, credentials, tokens, policy, disclosure, clock } = options;

  return async (request: LoginRequest, call: Call): Promise<LoginResponse> => {
    if (request.credentialForm !== CredentialForm.CREDENTIAL_FORM_COOKIE) throw unknownForm();
    await rateLimit(call.clientAddress, call.deadline);
    const attempt = presentedCredentials(request);
    try {
      return await manager.authenticate(attempt, call, async (account) => {
        const now = clock();
        const sessionId = newId();
        const credential = credentials.issue(1);
        const absoluteExpiresAt = policy.absoluteLifetimeMs === undefined ? undefined : now + policy.absoluteLifetimeMs;
        const expiresAt = slidingExpiry(now, idleWindowOf(policy, request.rememberMe), absoluteExpiresAt);
        const { email, tenantId } = account;
        const subject = { accountId: account.id, email, tenantId, roles: prefixedRoles(account.roles), sessionId };
        const access = await tokens.sign(subject, policy.accessTokenTtlMs);
        const family = {
          ...credential,
          id: sessionId,
          tenantId,
          accountId: account.id,
          rememberMe: request.rememberMe,
          createdAt: now,
          expiresAt,
          absoluteExpiresAt,
          accessExpiresAt: access.expiresAt,
          revokedAt: undefined,
        };
        const response = {
          accessToken: access.token,
          expiresIn: Math.floor(policy.accessTokenTtlMs / 1000),
          refreshCookie: refreshCookie(policy, family, credential.value, expiresAt - now),
          account: accountMessage(account),
        };
        return async (tx) => {
          await sessions.insert(tx, family, call.clientAddress, call.deadline);
          return response;
        };
      });
    } catch (error) {
      throw discloseLoginFailure(error, disclosure);
    }
  };
}

function presentedCredentials(request: LoginRequest): { username: string; password: string } {
  const username = canonicalUsername(request.username);
  const violations: Violation[] = [];
  if (username === undefined)
    violations.push({ message: 'must have 1 to 254 characters', format: 'length', props: ['username'] });
  if (!isPossiblePassword(request.password)) {
    violations.push({ message: 'must have 1 to 1024 characters', format: 'length', props: ['password'] });
  }
  if (username === undefined || violations.length > 0) {
    throw new ServiceError('VALIDATION_ERROR', { publicMessage: 'Missing login credentials', violations });
  }
  return { username, password: request.password };
}

function unknownForm(): ServiceError {
  const violation = { message: 'must be CREDENTIAL_FORM_COOKIE', format: 'enum', props: ['credential_form'] };
  return new ServiceError('VALIDATION_ERROR', { publicMessage: 'Unknown credential form', violations: [violation] });
}
