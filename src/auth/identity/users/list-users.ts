import type {
  ListUsersRequest,
  ListUsersResponse,
} from '../../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { listPageInfo, listPageOf } from '../../../platform/rpc/paging.ts';
import type { Call } from '../../../platform/rpc/types.ts';
import { toRole } from './account-input.ts';
import { narrowScope } from './administrator.ts';
import { ACCOUNT_ORDER } from './list-accounts.ts';
import type { UserDependencies } from './user-dependencies.ts';
import { userMessage } from './user-message.ts';

/** IdentityService.ListUsers. */
export function createListUsers({ administration, clock }: Pick<UserDependencies, 'administration' | 'clock'>) {
  return async (request: ListUsersRequest, call: Call): Promise<ListUsersResponse> => {
    const page = listPageOf(request, call, ACCOUNT_ORDER);
    const { query, role, disabled } = request;
    const scope = narrowScope(call.principal!, request.tenantId);
    const filter = { interactive: true, query, role: role === undefined ? undefined : toRole(role), disabled };
    const found = await administration.list(scope, filter, page);
    const now = clock();
    return { users: found.items.map((account) => userMessage(account, now)), page: listPageInfo(page, found) };
  };
}
