import { Permission } from '../../proto/gen/authservice/access/v1/access.ts';
import type {
  RevokeSessionRequest,
  RevokeSessionResponse,
} from '../../proto/gen/authservice/session/v1/session_service.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Clock } from '../clock.ts';
import { isId } from '../db/ids.ts';
import type { Database } from '../db/types.ts';
import { ServiceError } from '../errors.ts';
import { actorIdOf, reachOf } from '../identity/administrator.ts';
import type { Principal } from '../principal.ts';
import type { Call } from '../rpc/types.ts';
import type { RevokeFamily } from './revoke-family.ts';
import { findOpenSession, type SessionOwner } from './session-list-store.ts';

export interface RevokeSessionDependencies {
  readonly database: Database;
  readonly revokeFamily: RevokeFamily;
  readonly audit: AuditLog;
  readonly clock: Clock;
}

/** SessionService.RevokeSession. */
export function createRevokeSession({ database, revokeFamily, audit, clock }: RevokeSessionDependencies) {
  return async ({ sessionId }: RevokeSessionRequest, call: Call): Promise<RevokeSessionResponse> => {
    const owner = ownerWithinReach(call.principal!);
    const session = isId(sessionId) ? await findOpenSession(database, owner, sessionId, clock()) : undefined;
    if (!session) throw new ServiceError('NOT_FOUND');
    const { tenantId, accountId } = session;
    const ended = await audit.commit(call, async (tx, record) => {
      if (!(await revokeFamily(tx, session, 'revoked', call.deadline))) return false;
      const actorId = actorIdOf(call, { id: accountId });
      record({ event: 'session.revoked', tenantId, accountId, actorId, details: { sessionId } });
      return true;
    });
    if (!ended) throw new ServiceError('NOT_FOUND');
    return {};
  };
}

function ownerWithinReach(principal: Principal): SessionOwner {
  if (principal.permissions.has(Permission.PERMISSION_MANAGE_SESSIONS)) return reachOf(principal);
  const { tenantId, id: accountId } = principal.account;
  return { everyTenant: false, tenantId, accountId };
}
