import type { ListUsersRequest, ListUsersResponse } from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import { pageInfo, pageOf } from '../paging.ts';
import { createRequestCheck, queryText } from '../request-check.ts';
import type { Call } from '../rpc/types.ts';
import { checkRole } from './account-input.ts';
import { narrowScope } from './list-accounts.ts';
import type { UserDependencies } from './user-dependencies.ts';
import { userMessage } from './user-message.ts';

/** IdentityService.ListUsers. */
export function createListUsers({ administration, clock }: Pick<UserDependencies, 'administration' | 'clock'>) {
  return async (request: ListUsersRequest, call: Call): Promise<ListUsersResponse> => {
    const page = pageOf(request.page);
    const check = createRequestCheck();
    const scope = narrowScope(check, call.principal!, request.tenantId);
    const filter = {
      interactive: true,
      query: queryText(check, request.query),
      role: request.role === undefined ? undefined : checkRole(check, ['role'], request.role),
      disabled: request.disabled,
    };
    check.demandValid('The users cannot be listed');

    const { accounts, total } = await administration.list(scope, filter, page);
    const now = clock();
    return { users: accounts.map((account) => userMessage(account, now)), page: pageInfo(page, total) };
  };
}
