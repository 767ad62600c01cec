// What a new factor proves in the session that created it.
import { ServiceError } from '../../platform/errors.ts';
import type { ProveSession } from '../factors/own/require-user.ts';
import { provenMethods } from '../factors/proofs.ts';
import type { SessionStore } from './session-store.ts';

/** Creates the function that adds a proof to the authentication of a session. */
export function createProveSession(sessions: Pick<SessionStore, 'findAuthenticated' | 'confirm'>): ProveSession {
  return async (tx, { account: { tenantId }, sessionId: id }, proof, now, deadline) => {
    const session = await sessions.findAuthenticated({ tenantId, id }, tx);
    const methods = provenMethods([proof], session?.methods);
    // No access token is issued, so the last one does not expire later.
    const change = { from: session?.methods ?? [], methods, now, accessExpiresAt: 0 };
    if (!session || !(await sessions.confirm(tx, { tenantId, id }, change, deadline)))
      throw new ServiceError('TOKEN_INVALID', { detail: 'the session of the token has ended' });
  };
}
