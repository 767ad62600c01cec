import type {
  ListUsersRequest,
  ListUsersResponse,
} from '../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { pageInfo, pageOf } from '../../rpc/paging.ts';
import type { Call } from '../../rpc/types.ts';
import { toRole } from './account-input.ts';
import { narrowScope } from './administrator.ts';
import type { UserDependencies } from './user-dependencies.ts';
import { userMessage } from './user-message.ts';

/** IdentityService.ListUsers. */
export function createListUsers({ administration, clock }: Pick<UserDependencies, 'administration' | 'clock'>) {
  return async (request: ListUsersRequest, call: Call): Promise<ListUsersResponse> => {
    const page = pageOf(request.page);
    const { query, role, disabled } = request;
    const scope = narrowScope(call.principal!, request.tenantId);
    const filter = { interactive: true, query, role: role === undefined ? undefined : toRole(role), disabled };
    const { accounts, total } = await administration.list(scope, filter, page);
    const now = clock();
    return { users: accounts.map((account) => userMessage(account, now)), page: pageInfo(page, total) };
  };
}
