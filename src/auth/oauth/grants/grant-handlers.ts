// The RPCs on the grants of an account: for its user, and for administrators.
import type {
  Grant as GrantMessage,
  ListMyGrantsRequest,
  ListMyGrantsResponse,
  ListUserGrantsRequest,
  RevokeMyGrantRequest,
  RevokeUserGrantRequest,
} from '../../../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import { isId } from '../../../platform/db/ids.ts';
import type { Database } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { listPageInfo, listPageOf } from '../../../platform/rpc/paging.ts';
import { loadThenHandle } from '../../../platform/rpc/service.ts';
import type { Account } from '../../access/account.ts';
import type { Call } from '../../access/principal.ts';
import type { AuditLog } from '../../audit/trail/audit-log.ts';
import { onUser, type AccountAdministration } from '../../identity/users/account-administration.ts';
import { actorIdOf } from '../../identity/users/administrator.ts';
import { grantEvent } from '../codes/exchange-code.ts';
import { deleteOpenCodes } from '../codes/code-store.ts';
import { deleteConsent } from '../consent/consent-store.ts';
import type { EndGrant } from './end-grants.ts';
import { findGrant, GRANT_ORDER, selectGrants, type ListedGrant } from './grant-list-store.ts';

export interface GrantDependencies {
  readonly database: Database;
  readonly administration: Pick<AccountAdministration, 'findUser' | 'lockForChange'>;
  readonly endGrant: EndGrant;
  readonly audit: AuditLog;
  readonly clock: Clock;
}

export function grantHandlers({ database, administration, endGrant, audit, clock }: GrantDependencies) {
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

  /** Ends a grant, and forgets the consent: the application has to ask again. */
  async function revoke(_request: unknown, call: Call, grant: ListedGrant) {
    const { tenantId, accountId, applicationId } = grant;
    const ended = await audit.commit(call, async (tx, record) => {
      const account = { tenantId, id: accountId };
      if (accountId !== call.principal!.account.id) await administration.lockForChange(tx, call, account);
      if (!(await endGrant(tx, grant, 'revoked', call.deadline))) return false;
      const actorId = actorIdOf(call, { id: accountId });
      const application = { id: applicationId, clientId: grant.clientId };
      record({ ...grantEvent('grant.revoked', grant, application, { grantId: grant.id }), actorId });
      // Codes are issued while their consent is locked: from here on, all are seen.
      if (await deleteConsent(tx, { tenantId, accountId, applicationId }))
        record({ ...grantEvent('consent.revoked', grant, application, {}), actorId });
      await deleteOpenCodes(tx, account, applicationId);
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
