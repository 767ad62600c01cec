import type { Clock } from '../../platform/clock.ts';
import type { Statements } from '../../platform/db/types.ts';
import { DependencyUnavailableError, ServiceError } from '../../platform/errors.ts';
import { provenMethods, type Proof } from '../factors/proofs.ts';
import type { Policies } from '../access/policy/policies.ts';
import type { Call, Principal } from '../access/principal.ts';
import type { AccessTokens } from '../token/access-token.ts';
import { isWithoutRequiredFactor, limitSession, limitTransport } from './session-limits.ts';
import type { SessionStore } from './session-store.ts';
import type { TransportPolicies } from './transport/transport-policy.ts';

export interface PrepareConfirmationDependencies {
  readonly sessions: Pick<SessionStore, 'findAuthenticated' | 'confirm'>;
  readonly policies: Pick<Policies, 'of'>;
  readonly transports: TransportPolicies;
  readonly tokens: AccessTokens;
  readonly clock: Clock;
}

/** A user with a session. */
export type SessionUser = Principal & { readonly sessionId: string };

/** Creates a function that signs the next access token of a session before the transaction that confirms it. */
export function createPrepareConfirmation(options: PrepareConfirmationDependencies) {
  const { sessions, policies, transports, tokens, clock } = options;

  return async ({ account, sessionId, definitions }: SessionUser, proof: Proof, { deadline }: Call) => {
    const { id: accountId, tenantId, username, rights } = account;
    const address = { tenantId, id: sessionId };
    const policy = policies.of(definitions);
    const now = clock();
    const found = await sessions.findAuthenticated(address);
    const session = found && limitSession(found, policy);
    if (!session || session.expiresAt <= now) throw invalid('the session of the token has ended');
    const methods = provenMethods([proof], session.methods);
    // A refresh would end the session. So a confirmation must not continue it.
    if (isWithoutRequiredFactor({ methods }, account, policy.effective)) throw factorMissing();
    const transport = limitTransport(transports[`REFRESH_TOKEN_TRANSPORT_${session.transport}`], policy);
    const authentication = { authenticatedAt: now, methods };
    const roles = rights.prefixedRoles;
    const email = { email: transport.emailOf(account), emailVerified: account.emailVerifiedAt !== undefined };
    const subject = { accountId, ...email, tenantId, roles, sessionId, authentication };
    const access = await tokens.sign(subject, transport.accessTokenTtlMs);
    return {
      response: { accessToken: access.token, expiresIn: Math.floor(transport.accessTokenTtlMs / 1000) },
      /** Locks the session. Before a check of the call, which shares its lock: `confirm` would wait in a circle with others. */
      hold: (tx: Statements) => sessions.findAuthenticated(address, tx),
      async confirm(tx: Statements) {
        const change = { from: session.methods, methods, now, accessExpiresAt: access.expiresAt };
        if (!(await sessions.confirm(tx, address, change, deadline)))
          throw new DependencyUnavailableError('another request has changed the session at the same time');
        const details = { sessionId, by: provenMethods([proof]).join(' ') };
        return { event: 'session.confirmed' as const, tenantId, accountId, username, details };
      },
    };
  };
}

/** Without methods: a factor is created by a login. */
function factorMissing(): ServiceError {
  const publicMessage = 'The tenant requires a second factor, which the account lacks: log in again to create one';
  return new ServiceError('SECOND_FACTOR_REQUIRED', { publicMessage });
}

function invalid(detail: string): ServiceError {
  return new ServiceError('TOKEN_INVALID', { detail });
}
