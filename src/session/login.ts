import type { LoginRequest, LoginResponse } from '../../proto/gen/session/v1/session_service.ts';
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
import { slidingExpiry } from './rotation.ts';
import { formOf, type SessionForms } from './session-form.ts';
import type { SessionStore } from './session-store.ts';

export interface LoginDependencies {
  readonly manager: AuthenticationManager;
  readonly rateLimit: LoginRateLimit;
  readonly sessions: SessionStore;
  readonly forms: SessionForms;
  readonly tokens: AccessTokens;
  readonly disclosure: Disclosure;
  readonly clock: Clock;
}

/** SessionService.Login: a username and a password open a session family. */
export function createLogin(options: LoginDependencies) {
  const { manager, rateLimit, sessions, forms, tokens, disclosure, clock } = options;

  return async (request: LoginRequest, call: Call): Promise<LoginResponse> => {
    const form = formOf(forms, request.credentialForm);
    await rateLimit(call.clientAddress, call.deadline);
    const attempt = presentedCredentials(request);
    try {
      return await manager.authenticate(attempt, call, async (account) => {
        const now = clock();
        const { rememberMe } = request;
        const absoluteExpiresAt = form.absoluteLifetimeMs === undefined ? undefined : now + form.absoluteLifetimeMs;
        const expiresAt = slidingExpiry(now, form.idleWindowMs(rememberMe), absoluteExpiresAt);
        const id = newId();
        const { id: accountId, email, tenantId } = account;
        const subject = { accountId, email, tenantId, roles: prefixedRoles(account.roles), sessionId: id };
        const access = await tokens.sign(subject, form.accessTokenTtlMs);
        const credential = await form.issue({ id, expiresAt }, 1);
        const family = {
          ...credential,
          id,
          tenantId,
          accountId,
          form: form.stored,
          rememberMe,
          createdAt: now,
          expiresAt,
          absoluteExpiresAt,
          accessExpiresAt: access.expiresAt,
          revokedAt: undefined,
        };
        const response = {
          accessToken: access.token,
          expiresIn: Math.floor(form.accessTokenTtlMs / 1000),
          ...form.carry(credential.value, rememberMe, expiresAt - now),
          account: accountMessage(account),
        };
        return async (tx) => {
          await sessions.insert(tx, family, call.clientAddress, call.deadline);
          return response;
        };
      });
    } catch (error) {
      throw discloseLoginFailure(error, disclosure, form.stored);
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
