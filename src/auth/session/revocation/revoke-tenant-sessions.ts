import type {
  RevokeTenantSessionsRequest,
  RevokeTenantSessionsResponse,
} from '../../../../proto/gen/authservice/session/v1/session_service.ts';
import { isOver, type Clock } from '../../../platform/clock.ts';
import { newId } from '../../../platform/db/ids.ts';
import type { Database } from '../../../platform/db/types.ts';
import { DependencyUnavailableError, ServiceError } from '../../../platform/errors.ts';
import { loadThenHandle } from '../../../platform/rpc/service.ts';
import type { AuditLog } from '../../audit/trail/audit-log.ts';
import type { AccountAdministration } from '../../identity/users/account-administration.ts';
import type { Call } from '../../access/principal.ts';
import { selectSessionOwners, type SessionOwner } from '../session-list-store.ts';
import type { EndAllSessions, RecordEnd } from './end-sessions.ts';

export interface RevokeTenantSessionsDependencies {
  readonly database: Database;
  readonly administration: Pick<AccountAdministration, 'tenantExists'>;
  readonly endAllSessions: EndAllSessions;
  readonly audit: AuditLog;
  readonly clock: Clock;
}

/** Accounts whose sessions end in one transaction. */
const BATCH = 50;

/** SessionService.RevokeTenantSessions. Ends the sessions that exist when the call begins, account by account. */
export function createRevokeTenantSessions(options: RevokeTenantSessionsDependencies) {
  const { database, administration, endAllSessions, audit, clock } = options;

  async function findTenant({ tenantId }: RevokeTenantSessionsRequest, { principal }: Call): Promise<string> {
    const { tenantId: own } = principal!.account;
    const isInScope = own === undefined ? await administration.tenantExists(tenantId) : own === tenantId;
    if (!isInScope) throw new ServiceError('NOT_FOUND');
    return tenantId;
  }

  /** Ends the sessions of some accounts of a tenant. Returns their number. */
  function endOf(owners: readonly SessionOwner[], tenantId: string, call: Call): Promise<number> {
    return audit.commit(call, async (tx, emit) => {
      let ended = 0;
      for (const { id: accountId, username } of owners) {
        const actor = call.principal!.account.id;
        const actorId = actor === accountId ? undefined : actor;
        const record: RecordEnd = (event, details) => emit({ event, tenantId, accountId, username, actorId, details });
        const count = await endAllSessions(tx, { tenantId, id: accountId }, 'revoked', call.deadline, record);
        if (count > 0) record('session.revoked', { sessions: count, of: 'tenant' });
        ended += count;
      }
      return ended;
    });
  }

  return loadThenHandle(findTenant, async (_request, call, tenantId): Promise<RevokeTenantSessionsResponse> => {
    const caller = call.principal!;
    // Others could end the sessions of accounts that hold more than they do.
    if (caller.permissions.everyOwn === undefined)
      throw new ServiceError('PERMISSION_DENIED', { detail: 'only administrators of a tenant end all its sessions' });
    const through = newId();
    let sessions = 0;
    let after: string | undefined;
    let self: SessionOwner | undefined;
    do {
      if (isOver(call.deadline))
        throw new DependencyUnavailableError('the deadline passed before all sessions had ended');
      await call.recheck(database);
      const owners = await selectSessionOwners(database, tenantId, { through, after, now: clock(), limit: BATCH });
      after = owners.length < BATCH ? undefined : owners.at(-1)!.id;
      self ??= owners.find(({ id }) => id === caller.account.id);
      const others = owners.filter(({ id }) => id !== caller.account.id);
      if (others.length > 0) sessions += await endOf(others, tenantId, call);
    } while (after !== undefined);
    // The last one, because the call ends with it.
    if (self !== undefined) sessions += await endOf([self], tenantId, call);
    return { sessions };
  });
}
