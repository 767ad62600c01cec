import {
  RefreshTokenTransport,
  type ListMySessionsRequest,
  type ListMySessionsResponse,
  type ListUserSessionsRequest,
  type ListUserSessionsResponse,
  type Session,
} from '../../../proto/gen/authservice/session/v1/session_service.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import type { Account } from '../principal/account.ts';
import { onUser, type AccountAdministration } from '../identity/users/account-administration.ts';
import { listPageInfo, listPageOf, type ListPage } from '../../platform/rpc/paging.ts';
import type { Call } from '../principal/principal.ts';
import { selectOpenSessions, SESSION_ORDER, type OpenSession } from './session-list-store.ts';
import type { StoredTransport } from './session.ts';

export interface ListSessionsDependencies {
  readonly database: Database;
  readonly administration: Pick<AccountAdministration, 'findUser'>;
  readonly clock: Clock;
}

/** SessionService.ListMySessions. */
export function createListMySessions(options: ListSessionsDependencies) {
  return async (request: ListMySessionsRequest, call: Call): Promise<ListMySessionsResponse> =>
    list(options, call.principal!.account, listPageOf(request, call, SESSION_ORDER));
}

/** SessionService.ListUserSessions. */
export function createListUserSessions(options: ListSessionsDependencies) {
  return onUser(
    options.administration,
    async (request: ListUserSessionsRequest, call, user): Promise<ListUserSessionsResponse> =>
      list(options, user, listPageOf(request, call, SESSION_ORDER)),
  );
}

async function list({ database, clock }: ListSessionsDependencies, account: Account, page: ListPage) {
  const found = await selectOpenSessions(database, account, clock(), page);
  return { sessions: found.items.map(sessionMessage), page: listPageInfo(page, found) };
}

const TRANSPORTS: Readonly<Record<StoredTransport, RefreshTokenTransport>> = {
  COOKIE: RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_COOKIE,
  BODY: RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_BODY,
};

function sessionMessage(session: OpenSession): Session {
  const { id, accountId, tenantId, transport, rememberMe, clientAddress, createdAt, refreshedAt, expiresAt } = session;
  return {
    id,
    accountId,
    ...(tenantId !== undefined && { tenantId }),
    refreshTokenTransport: TRANSPORTS[transport],
    rememberMe,
    clientAddress,
    createdAt: new Date(createdAt),
    refreshedAt: new Date(refreshedAt),
    expiresAt: new Date(expiresAt),
  };
}
