// The RPCs on the grants of an account: for its user, and for administrators.
import type {
  Grant as GrantMessage,
  ListMyGrantsRequest,
  ListMyGrantsResponse,
  ListUserGrantsRequest,
  RevokeMyGrantRequest,
  RevokeUserGrantRequest,
} from '../../../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import type { Clock, Deadline } from '../../../platform/clock.ts';
import { isId } from '../../../platform/db/ids.ts';
import type { Database, Statements } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { listPageInfo, listPageOf } from '../../../platform/rpc/paging.ts';
import { loadThenHandle } from '../../../platform/rpc/service.ts';
import type { Account } from '../../access/account.ts';
import type { Call } from '../../access/principal.ts';
import type { AuditLog } from '../../audit/trail/audit-log.ts';
import { onUser, type AccountAdministration } from '../../identity/users/account-administration.ts';
import { actorIdOf } from '../../identity/users/administrator.ts';
import { grantEvent } from '../codes/redeem-code.ts';
import { deleteOpenCodes } from '../codes/code-store.ts';
import { deleteConsent } from '../consent/consent-store.ts';
import type { EndGrant } from './end-grants.ts';
import { findGrant, GRANT_ORDER, selectGrants, selectLive, type ListedGrant } from './grant-list-store.ts';

type AccountAddress = Pick<Account, 'tenantId' | 'id'>;

export interface GrantDependencies {
  readonly database: Database;
  readonly administration: Pick<AccountAdministration, 'findUser' | 'lockToEndSessions'>;
  /** Locks an account's row until the transaction ends. */
  readonly lockAccount: (tx: Statements, account: AccountAddress, deadline: Deadline) => Promise<unknown>;
  readonly endGrant: EndGrant;
  readonly audit: AuditLog;
  readonly clock: Clock;
}

export function grantHandlers(options: GrantDependencies) {
  const { database, administration, lockAccount, endGrant, audit, clock } = options;

  async function list(
    request: ListMyGrantsRequest | ListUserGrantsRequest,
    call: Call,
    account: Account,
  ): Promise<ListMyGrantsResponse> {
    const page = listPageOf(request, call, GRANT_ORDER);
    const found = await selectGrants(database, account, clock(), page);
    return { grants: found.items.map(grantMessage), page: listPageInfo(page, found) };
  }

  /** Throws NOT_FOUND unless the account has the grant. */
  async function find(account: Account, grantId: string): Promise<ListedGrant> {
    const grant = isId(grantId) ? await findGrant(database, account, grantId, clock()) : undefined;
    if (!grant) throw new ServiceError('NOT_FOUND');
    return grant;
  }

  /** Ends a grant, and forgets the consent with all that it has allowed: the application has to ask again. */
  async function revoke(_request: unknown, call: Call, grant: ListedGrant) {
    const { tenantId, accountId, applicationId } = grant;
    const account = { tenantId, id: accountId };
    const actorId = actorIdOf(call, account);
    const application = { id: applicationId, clientId: grant.clientId };
    const ended = await audit.commit(call, async (tx, record) => {
      const recordEvent = (event: 'grant.revoked' | 'consent.revoked', details: { readonly grantId?: string }) =>
        record({ ...grantEvent(event, grant, application, details), actorId });
      const end = async (id: string): Promise<boolean> => {
        const isEnded = await endGrant(tx, { tenantId, id }, 'revoked', call.deadline);
        if (isEnded) recordEvent('grant.revoked', { grantId: id });
        return isEnded;
      };
      if (accountId === call.principal!.account.id) await lockAccount(tx, account, call.deadline);
      else await administration.lockToEndSessions(tx, call, account);
      if (!(await end(grant.id))) return false;
      const isForgotten = await deleteConsent(tx, { tenantId, accountId, applicationId });
      // A code that is stored meanwhile is refused: its exchange needs this very consent.
      await deleteOpenCodes(tx, account, applicationId);
      if (!isForgotten) return true;
      recordEvent('consent.revoked', {});
      for (const id of await selectLive(tx, account, applicationId, clock())) await end(id);
      return true;
    });
    if (!ended) throw new ServiceError('NOT_FOUND');
    return {};
  }

  return {
    listMyGrants: (request: ListMyGrantsRequest, call: Call) => list(request, call, call.principal!.account),
    listUserGrants: onUser<ListUserGrantsRequest, ListMyGrantsResponse>(administration, list),
    revokeMyGrant: loadThenHandle(
      ({ grantId }: RevokeMyGrantRequest, call: Call) => find(call.principal!.account, grantId),
      revoke,
    ),
    revokeUserGrant: loadThenHandle(
      async ({ userId, grantId }: RevokeUserGrantRequest, call: Call) =>
        find(await administration.findUser(call.principal!, userId), grantId),
      revoke,
    ),
  };
}

function grantMessage(grant: ListedGrant): GrantMessage {
  const { id, clientId, applicationName: name, scopes, offline, createdAt, lastUsedAt, network, userAgent } = grant;
  return {
    id,
    application: { clientId, name },
    scopes: [...scopes],
    offline,
    createdAt: new Date(createdAt),
    lastUsedAt: new Date(lastUsedAt),
    network,
    ...(userAgent !== undefined && { userAgent }),
  };
}
