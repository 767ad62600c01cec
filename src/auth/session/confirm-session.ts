import type {
  ConfirmSessionRequest,
  ConfirmSessionResponse,
} from '../../../proto/gen/authservice/session/v1/session_service.ts';
import type { Clock } from '../../platform/clock.ts';
import { DependencyUnavailableError, ServiceError } from '../../platform/errors.ts';
import type { AuthenticationManager } from '../identity/authentication/authentication-manager.ts';
import { isPast } from '../identity/authentication/eligibility.ts';
import type { Policies } from '../policy/policies.ts';
import { BY_PASSWORD, joinMethods, type AuthenticationMethod } from '../principal/authentication.ts';
import type { Call, Principal } from '../principal/principal.ts';
import type { AccessTokens } from '../token/access-token.ts';
import { limitTransport } from './session-limits.ts';
import type { SessionStore } from './session-store.ts';
import type { TransportPolicies } from './transport/transport-policy.ts';

export interface ConfirmSessionDependencies {
  readonly manager: Pick<AuthenticationManager, 'confirm'>;
  readonly sessions: Pick<SessionStore, 'findAuthenticated' | 'confirm'>;
  readonly policies: Pick<Policies, 'of'>;
  readonly transports: TransportPolicies;
  readonly tokens: AccessTokens;
  readonly clock: Clock;
}

/** SessionService.ConfirmSession: authenticates the user of a session again. It counts, locks and is recorded like a login. */
export function createConfirmSession(options: ConfirmSessionDependencies) {
  const { manager, clock } = options;
  const prepare = createPrepareConfirmation(options);

  return async ({ password }: ConfirmSessionRequest, call: Call): Promise<ConfirmSessionResponse> => {
    const principal = call.principal!;
    const { account, sessionId } = principal;
    if (sessionId === undefined)
      throw new ServiceError('PERMISSION_DENIED', { detail: 'the credential has no session' });
    if (password === undefined) {
      const violation = { message: 'is required', format: 'required', props: ['password'] };
      throw new ServiceError('VALIDATION_ERROR', { violations: [violation] });
    }
    return manager.confirm(account, password, call, async () => {
      if (isPast(account.credentialsExpireAt, clock()))
        throw new ServiceError('CREDENTIALS_EXPIRED', { detail: 'the password has expired' });
      const { response, confirm } = await prepare({ ...principal, sessionId }, BY_PASSWORD, call);
      return async (tx, record, endAttempt) => {
        await call.recheck(tx);
        await endAttempt();
        record(await confirm(tx));
        return response;
      };
    });
  };
}

/** Signs the next access token before the transaction that confirms the session. */
function createPrepareConfirmation({ sessions, policies, transports, tokens, clock }: ConfirmSessionDependencies) {
  return async (
    { account, sessionId, definitions }: Principal & { readonly sessionId: string },
    added: readonly AuthenticationMethod[],
    { deadline }: Call,
  ) => {
    const { id: accountId, tenantId, username, rights } = account;
    const address = { tenantId, id: sessionId };
    const session = await sessions.findAuthenticated(address);
    if (!session) throw ended();
    const transport = limitTransport(
      transports[`REFRESH_TOKEN_TRANSPORT_${session.transport}`],
      policies.of(definitions),
    );
    const now = clock();
    const methods = joinMethods(session.methods, added);
    const authentication = { authenticatedAt: now, methods };
    const roles = rights.prefixedRoles;
    const subject = { accountId, email: transport.emailOf(account), tenantId, roles, sessionId, authentication };
    const access = await tokens.sign(subject, transport.accessTokenTtlMs);
    return {
      response: { accessToken: access.token, expiresIn: Math.floor(transport.accessTokenTtlMs / 1000) },
      async confirm(tx: Parameters<SessionStore['confirm']>[0]) {
        const change = { from: session.methods, methods, now, accessExpiresAt: access.expiresAt };
        if (!(await sessions.confirm(tx, address, change, deadline)))
          throw new DependencyUnavailableError('another request has changed the session at the same time');
        const details = { sessionId, by: added.join(' ') };
        return { event: 'session.confirmed' as const, tenantId, accountId, username, details };
      },
    };
  };
}

function ended(): ServiceError {
  return new ServiceError('TOKEN_INVALID', { detail: 'the session of the token has ended' });
}
