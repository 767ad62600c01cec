import type {
  ListMySessionsRequest,
  ListMySessionsResponse,
  ListUserSessionsRequest,
  Session,
} from '../../../proto/gen/authservice/session/v1/session_service.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Complete } from '../../platform/db/record.ts';
import type { Database } from '../../platform/db/types.ts';
import type { Account } from '../principal/account.ts';
import { onUser, type AccountAdministration } from '../identity/users/account-administration.ts';
import { listPageInfo, listPageOf } from '../../platform/rpc/paging.ts';
import type { Call } from '../principal/principal.ts';
import { OPEN_SESSION, selectOpenSessions, SESSION_ORDER, type OpenSession } from './session-list-store.ts';

export interface ListSessionsDependencies {
  readonly database: Database;
  readonly administration: Pick<AccountAdministration, 'findUser'>;
  readonly clock: Clock;
}

/** SessionService: the lists of sessions. */
export function sessionListHandlers({ database, administration, clock }: ListSessionsDependencies) {
  async function list(
    request: ListMySessionsRequest | ListUserSessionsRequest,
    call: Call,
    account: Account,
  ): Promise<ListMySessionsResponse> {
    const page = listPageOf(request, call, SESSION_ORDER);
    const found = await selectOpenSessions(database, account, clock(), page);
    return { sessions: found.items.map(sessionMessage), page: listPageInfo(page, found) };
  }

  return {
    listMySessions: (request: ListMySessionsRequest, call: Call) => list(request, call, call.principal!.account),
    listUserSessions: onUser<ListUserSessionsRequest, ListMySessionsResponse>(administration, list),
  };
}

function sessionMessage(session: OpenSession): Session {
  const { transport: refreshTokenTransport, ...message } = OPEN_SESSION.toMessage(session);
  return { refreshTokenTransport, ...message } satisfies Complete<Session>;
}
