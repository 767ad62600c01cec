import { Permission } from '../../../../proto/gen/authservice/access/v1/access.ts';
import type {
  RevokeMyOtherSessionsRequest,
  RevokeMyOtherSessionsResponse,
  RevokeMySessionRequest,
  RevokeSessionRequest,
  RevokeUserSessionsRequest,
  RevokeUserSessionsResponse,
} from '../../../../proto/gen/authservice/session/v1/session_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import { isId } from '../../../platform/db/ids.ts';
import type { AdminScope } from '../../../platform/db/query/tenant-scope.ts';
import type { Database } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { loadThenHandle } from '../../../platform/rpc/service.ts';
import type { AuditLog } from '../../audit/trail/audit-log.ts';
import { onUser, type AccountAdministration } from '../../identity/users/account-administration.ts';
import { actorIdOf, getAdminScope } from '../../identity/users/administrator.ts';
import type { Call, Principal } from '../../access/principal.ts';
import type { EndAllSessions, EndOtherSessions, EndSession, RecordEnd } from './end-sessions.ts';
import { findOpenSession, type OpenSession } from '../session-list-store.ts';

export interface RevokeSessionDependencies {
  readonly database: Database;
  readonly endSession: EndSession;
  readonly endAllSessions: EndAllSessions;
  readonly endOtherSessions: EndOtherSessions;
  readonly administration: Pick<AccountAdministration, 'findUser' | 'lockToEndSessions'>;
  readonly audit: AuditLog;
  readonly clock: Clock;
}

/** SessionService: the RPCs that revoke sessions. */
export function revocationHandlers(options: RevokeSessionDependencies) {
  const { database, endSession, endAllSessions, endOtherSessions, administration, audit, clock } = options;

  async function findSession(
    scope: AdminScope,
    key: { readonly id: string; readonly accountId: string | undefined },
  ): Promise<OpenSession> {
    const session = isId(key.id) ? await findOpenSession(database, scope, key, clock()) : undefined;
    if (!session) throw new ServiceError('NOT_FOUND');
    return session;
  }

  async function revoke(_request: unknown, call: Call, session: OpenSession) {
    const { id: sessionId, tenantId, accountId } = session;
    const ended = await audit.commit(call, async (tx, record) => {
      if (accountId !== call.principal!.account.id)
        await administration.lockToEndSessions(tx, call, { tenantId, id: accountId });
      if (!(await endSession(tx, session, 'revoked', call.deadline))) return false;
      const actorId = actorIdOf(call, { id: accountId });
      record({ event: 'session.revoked', tenantId, accountId, actorId, details: { sessionId } });
      return true;
    });
    if (!ended) throw new ServiceError('NOT_FOUND');
    return {};
  }

  return {
    revokeSession: loadThenHandle(async ({ sessionId, userId }: RevokeSessionRequest, call: Call) => {
      const { scope, accountId } = ownerInScope(call.principal!);
      const isForeign = accountId !== undefined && userId !== undefined && userId !== accountId;
      if (isForeign || (userId !== undefined && !isId(userId))) throw new ServiceError('NOT_FOUND');
      return findSession(scope, { id: sessionId, accountId: userId ?? accountId });
    }, revoke),

    revokeMySession: loadThenHandle(({ sessionId }: RevokeMySessionRequest, call: Call) => {
      const { tenantId, id: accountId } = call.principal!.account;
      return findSession({ everyTenant: false, tenantId }, { id: sessionId, accountId });
    }, revoke),

    /**
     * Ends the sessions one by one, because the current one must stay. Their number is limited by
     * app.security.sessions-per-account.
     */
    async revokeMyOtherSessions(
      _request: RevokeMyOtherSessionsRequest,
      call: Call,
    ): Promise<RevokeMyOtherSessionsResponse> {
      const { account, sessionId: current } = call.principal!;
      const { tenantId, id: accountId, username } = account;
      const revoked = await audit.commit(call, async (tx, record) => {
        const recordEnd: RecordEnd = (event, details) => record({ event, tenantId, accountId, username, details });
        const count = await endOtherSessions(tx, account, current, call, recordEnd);
        if (count > 0) recordEnd('session.revoked', { sessions: count });
        return count;
      });
      return { revoked };
    },

    revokeUserSessions: onUser(
      administration,
      async (_request: RevokeUserSessionsRequest, call, user): Promise<RevokeUserSessionsResponse> => {
        const { tenantId, id: accountId, username } = user;
        const revoked = await audit.commit(call, async (tx, record) => {
          await administration.lockToEndSessions(tx, call, user);
          const actorId = actorIdOf(call, user);
          const recordEnd: RecordEnd = (event, details) =>
            record({ event, tenantId, accountId, username, actorId, details });
          const count = await endAllSessions(tx, user, 'revoked', call.deadline, recordEnd);
          if (count > 0) recordEnd('session.revoked', { sessions: count });
          return count;
        });
        return { revoked };
      },
    ),
  };
}

/** Returns the accounts whose sessions the caller may end: all in its scope, or only its own. */
function ownerInScope(principal: Principal): { readonly scope: AdminScope; readonly accountId: string | undefined } {
  if (principal.permissions.has(Permission.PERMISSION_MANAGE_SESSIONS))
    return { scope: getAdminScope(principal), accountId: undefined };
  const { tenantId, id: accountId } = principal.account;
  return { scope: { everyTenant: false, tenantId }, accountId };
}
