// What a new factor proves in the session that created it.
import { ServiceError } from '../../platform/errors.ts';
import type { ProveSession } from '../factors/own/require-user.ts';
import { provenMethods } from '../factors/proofs.ts';
import type { Policies } from '../access/policy/policies.ts';
import { findOpenSession } from './open-session.ts';
import type { SessionStore } from './session-store.ts';

/** Creates the function that adds a proof to the authentication of a session. */
export function createProveSession(options: {
  readonly sessions: Pick<SessionStore, 'findAuthenticated' | 'confirm'>;
  readonly policies: Pick<Policies, 'load'>;
}): ProveSession {
  const { sessions } = options;
  return async (tx, { account, sessionId: id }, proof, now, deadline) => {
    const { tenantId } = account;
    const session = await findOpenSession(options, tx, account, id, now);
    const methods = provenMethods([proof], session?.methods);
    // No access token is issued, so the last one does not expire later.
    const change = { from: session?.methods ?? [], methods, now, accessExpiresAt: 0 };
    if (!session || !(await sessions.confirm(tx, { tenantId, id }, change, deadline)))
      throw new ServiceError('TOKEN_INVALID', { detail: 'the session of the token has ended' });
  };
}
