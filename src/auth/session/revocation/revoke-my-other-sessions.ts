import type {
  RevokeMyOtherSessionsRequest,
  RevokeMyOtherSessionsResponse,
} from '../../../../proto/gen/authservice/session/v1/session_service.ts';
import type { Call } from '../../../platform/rpc/types.ts';
import type { RevokeSessionDependencies } from './revoke-sessions.ts';
import { selectOpenSessionIds } from '../session-list-store.ts';

/**
 * SessionService.RevokeMyOtherSessions. Ends the sessions one by one, because the current one must stay. Their number
 * is limited by app.security.sessions-per-account.
 */
export function createRevokeMyOtherSessions(options: RevokeSessionDependencies) {
  const { database, revokeFamily, audit, clock } = options;

  return async (_request: RevokeMyOtherSessionsRequest, call: Call): Promise<RevokeMyOtherSessionsResponse> => {
    const { account, sessionId: current } = call.principal!;
    const { tenantId, id: accountId, username } = account;
    const others = (await selectOpenSessionIds(database, account, clock())).filter((id) => id !== current);
    if (others.length === 0) return { revoked: 0 };
    const revoked = await audit.commit(call, async (tx, record) => {
      let count = 0;
      for (const id of others) if (await revokeFamily(tx, { tenantId, id }, 'revoked', call.deadline)) count += 1;
      if (count > 0) record({ event: 'session.revoked', tenantId, accountId, username, details: { sessions: count } });
      return count;
    });
    return { revoked };
  };
}
