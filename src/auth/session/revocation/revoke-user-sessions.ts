import type {
  RevokeUserSessionsRequest,
  RevokeUserSessionsResponse,
} from '../../../../proto/gen/authservice/session/v1/session_service.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { AccountAdministration } from '../../identity/users/account-administration.ts';
import { actorIdOf } from '../../identity/users/administrator.ts';
import { onUser } from '../../identity/users/managed-user.ts';
import type { EndAllSessions } from './end-sessions.ts';

export interface RevokeUserSessionsDependencies {
  readonly administration: Pick<AccountAdministration, 'findUser'>;
  readonly endAllSessions: EndAllSessions;
  readonly audit: AuditLog;
}

/** SessionService.RevokeUserSessions. */
export function createRevokeUserSessions(options: RevokeUserSessionsDependencies) {
  const { administration, endAllSessions, audit } = options;

  return onUser(
    administration,
    async (_request: RevokeUserSessionsRequest, call, user): Promise<RevokeUserSessionsResponse> => {
      const { tenantId, id: accountId, username } = user;
      const revoked = await audit.commit(call, async (tx, record) => {
        const count = await endAllSessions(tx, user, 'revoked', call.deadline);
        const actorId = actorIdOf(call, user);
        if (count > 0) {
          record({ event: 'session.revoked', tenantId, accountId, username, actorId, details: { sessions: count } });
        }
        return count;
      });
      return { revoked };
    },
  );
}
