import { Permission } from '../../../../proto/gen/authservice/access/v1/access.ts';
import type {
  RevokeMyOtherSessionsRequest,
  RevokeMyOtherSessionsResponse,
  RevokeMySessionRequest,
  RevokeMySessionResponse,
  RevokeSessionRequest,
  RevokeSessionResponse,
  RevokeUserSessionsRequest,
  RevokeUserSessionsResponse,
} from '../../../../proto/gen/authservice/session/v1/session_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import { isId } from '../../../platform/db/ids.ts';
import type { AdminScope } from '../../../platform/db/query/tenant-scope.ts';
import type { Database } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { loadThenHandle } from '../../../platform/rpc/service.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { onUser, type AccountAdministration } from '../../identity/users/account-administration.ts';
import { actorIdOf, getAdminScope } from '../../identity/users/administrator.ts';
import type { Call, Principal } from '../../principal/principal.ts';
import type { EndAllSessions, EndSession } from './end-sessions.ts';
import { findOpenSession, selectOpenSessionIds, type OpenSession } from '../session-list-store.ts';

export interface RevokeSessionDependencies {
  readonly database: Database;
  readonly endSession: EndSession;
  readonly audit: AuditLog;
  readonly clock: Clock;
}

/** SessionService.RevokeSession. */
export function createRevokeSession(options: RevokeSessionDependencies) {
  return loadThenHandle(
    async ({ sessionId, userId }: RevokeSessionRequest, call: Call) => {
      const { scope, accountId } = ownerInScope(call.principal!);
      const isForeign = accountId !== undefined && userId !== undefined && userId !== accountId;
      if (isForeign || (userId !== undefined && !isId(userId))) throw new ServiceError('NOT_FOUND');
      return findSession(options, scope, { id: sessionId, accountId: userId ?? accountId });
    },
    async (_request, call, session): Promise<RevokeSessionResponse> => revoke(options, call, session),
  );
}

/** SessionService.RevokeMySession. */
export function createRevokeMySession(options: RevokeSessionDependencies) {
  return loadThenHandle(
    ({ sessionId }: RevokeMySessionRequest, call: Call) => {
      const { tenantId, id: accountId } = call.principal!.account;
      return findSession(options, { everyTenant: false, tenantId }, { id: sessionId, accountId });
    },
    async (_request, call, session): Promise<RevokeMySessionResponse> => revoke(options, call, session),
  );
}

async function findSession(
  { database, clock }: RevokeSessionDependencies,
  scope: AdminScope,
  key: { readonly id: string; readonly accountId: string | undefined },
): Promise<OpenSession> {
  const session = isId(key.id) ? await findOpenSession(database, scope, key, clock()) : undefined;
  if (!session) throw new ServiceError('NOT_FOUND');
  return session;
}

async function revoke({ endSession, audit }: RevokeSessionDependencies, call: Call, session: OpenSession) {
  const { id: sessionId, tenantId, accountId } = session;
  const ended = await audit.commit(call, async (tx, record) => {
    if (!(await endSession(tx, session, 'revoked', call.deadline))) return false;
    const actorId = actorIdOf(call, { id: accountId });
    record({ event: 'session.revoked', tenantId, accountId, actorId, details: { sessionId } });
    return true;
  });
  if (!ended) throw new ServiceError('NOT_FOUND');
  return {};
}

/** Returns the accounts whose sessions the caller may end: all in its scope, or only its own. */
function ownerInScope(principal: Principal): { readonly scope: AdminScope; readonly accountId: string | undefined } {
  if (principal.permissions.has(Permission.PERMISSION_MANAGE_SESSIONS))
    return { scope: getAdminScope(principal), accountId: undefined };
  const { tenantId, id: accountId } = principal.account;
  return { scope: { everyTenant: false, tenantId }, accountId };
}

/**
 * SessionService.RevokeMyOtherSessions. Ends the sessions one by one, because the current one must stay. Their number
 * is limited by app.security.sessions-per-account.
 */
export function createRevokeMyOtherSessions(options: RevokeSessionDependencies) {
  const { database, endSession, audit, clock } = options;

  return async (_request: RevokeMyOtherSessionsRequest, call: Call): Promise<RevokeMyOtherSessionsResponse> => {
    const { account, sessionId: current } = call.principal!;
    const { tenantId, id: accountId, username } = account;
    const others = (await selectOpenSessionIds(database, account, clock())).filter((id) => id !== current);
    if (others.length === 0) return { revoked: 0 };
    const revoked = await audit.commit(call, async (tx, record) => {
      let count = 0;
      for (const id of others) if (await endSession(tx, { tenantId, id }, 'revoked', call.deadline)) count += 1;
      if (count > 0) record({ event: 'session.revoked', tenantId, accountId, username, details: { sessions: count } });
      return count;
    });
    return { revoked };
  };
}

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
