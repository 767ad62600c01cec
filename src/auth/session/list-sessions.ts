import type {
  GetSessionRequest,
  GetSessionResponse,
  ListMySessionsRequest,
  ListMySessionsResponse,
  ListSessionsRequest,
  ListSessionsResponse,
  ListUserSessionsRequest,
  Session,
} from '../../../proto/gen/authservice/session/v1/session_service.ts';
import type { Clock } from '../../platform/clock.ts';
import { isId } from '../../platform/db/ids.ts';
import type { Complete } from '../../platform/db/record.ts';
import type { AdminScope } from '../../platform/db/query/tenant-scope.ts';
import type { Database } from '../../platform/db/types.ts';
import { ServiceError } from '../../platform/errors.ts';
import type { Account } from '../access/account.ts';
import { onUser, type AccountAdministration } from '../identity/users/account-administration.ts';
import { requireAddressRange } from '../audit/trail/audit-filter.ts';
import { getAdminScope, narrowScope } from '../identity/users/administrator.ts';
import { listPageInfo, listPageOf } from '../../platform/rpc/paging.ts';
import type { Call, Principal } from '../access/principal.ts';
import type { SessionLimits } from './limits/limit-sessions.ts';
import {
  findOpenSession,
  OPEN_SESSION,
  selectOpenSessions,
  selectSessions,
  SESSION_ORDER,
  type OpenSession,
  type SessionFilter,
  type SessionOfAccount,
} from './session-list-store.ts';

export interface ListSessionsDependencies {
  readonly database: Database;
  readonly administration: Pick<AccountAdministration, 'findUser'>;
  readonly sessionLimits: Pick<SessionLimits, 'conditionsFor'>;
  readonly clock: Clock;
}

/** SessionService: the lists of sessions. */
export function sessionListHandlers({ database, administration, sessionLimits, clock }: ListSessionsDependencies) {
  async function list(
    request: ListMySessionsRequest | ListUserSessionsRequest,
    call: Call,
    account: Account,
  ): Promise<ListMySessionsResponse> {
    const page = listPageOf(request, call, SESSION_ORDER);
    const policies = await sessionLimits.conditionsFor({ everyTenant: false, tenantId: account.tenantId });
    const found = await selectOpenSessions(database, account, clock(), page, policies);
    return { sessions: found.items.map((session) => sessionMessage(session, call)), page: listPageInfo(page, found) };
  }

  async function listSessions(request: ListSessionsRequest, call: Call): Promise<ListSessionsResponse> {
    const page = listPageOf(request, call, SESSION_ORDER);
    const scope = narrowScope(call.principal!, request.tenantId);
    const { userId } = request;
    const address = request.address === undefined ? undefined : requireAddressRange(request.address);
    const owner = userId === undefined ? { scope, accountId: undefined } : await ofUser(call.principal!, scope, userId);
    const found = owner ? await find({ ...owner, address, userAgent: request.userAgent }, page) : NOTHING;
    return { sessions: found.items.map((session) => sessionMessage(session, call)), page: listPageInfo(page, found) };
  }

  async function find(filter: Omit<SessionFilter, 'policies'>, page: ReturnType<typeof listPageOf>) {
    const policies = await sessionLimits.conditionsFor(filter.scope);
    return selectSessions(database, { ...filter, policies }, clock(), page);
  }

  async function getSession({ sessionId: id }: GetSessionRequest, call: Call): Promise<GetSessionResponse> {
    const scope = getAdminScope(call.principal!);
    if (!isId(id)) throw new ServiceError('NOT_FOUND');
    const key = { id, accountId: undefined };
    const found = await findOpenSession(database, scope, key, clock());
    const policies = found && (await sessionLimits.conditionsFor({ everyTenant: false, tenantId: found.tenantId }));
    const session = policies && (await findOpenSession(database, scope, key, clock(), policies));
    if (!session) throw new ServiceError('NOT_FOUND');
    return { session: sessionMessage(session, call) };
  }

  /** Returns the filter of a user's sessions: the index of accounts begins with their tenant. Undefined without such a user. */
  async function ofUser(principal: Principal, scope: AdminScope, userId: string) {
    const user = await administration.findUser(principal, userId).catch(ignoreNotFound);
    if (user === undefined || (!scope.everyTenant && scope.tenantId !== user.tenantId)) return undefined;
    return { scope: { everyTenant: false as const, tenantId: user.tenantId }, accountId: user.id };
  }

  return {
    listSessions,
    getSession,
    listMySessions: (request: ListMySessionsRequest, call: Call) => list(request, call, call.principal!.account),
    listUserSessions: onUser<ListUserSessionsRequest, ListMySessionsResponse>(administration, list),
  };
}

const NOTHING = { items: [], total: 0, isMinimum: false, next: undefined };

function ignoreNotFound(error: unknown): undefined {
  if (!(error instanceof ServiceError && error.reason === 'NOT_FOUND')) throw error;
}

function sessionMessage(session: OpenSession & Partial<SessionOfAccount>, { principal }: Call): Session {
  const { transport: refreshTokenTransport, userAgent, ...message } = OPEN_SESSION.toMessage(session);
  const { username } = session;
  return {
    refreshTokenTransport,
    ...message,
    current: session.id === principal!.sessionId,
    ...(userAgent !== undefined && { userAgent }),
    ...(username !== undefined && { username }),
  } satisfies Partial<Complete<Session>>;
}
