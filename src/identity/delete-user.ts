import type {
  DeleteUserRequest,
  DeleteUserResponse,
} from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { Call } from '../rpc/types.ts';
import { refuseSelf } from './administrator.ts';
import type { UserDependencies } from './user-dependencies.ts';

/** IdentityService.DeleteUser. The audit trail keeps what the user did and what happened to it. */
export function createDeleteUser({
  administration,
  endSessions,
}: Pick<UserDependencies, 'administration' | 'endSessions'>) {
  return async ({ userId }: DeleteUserRequest, call: Call): Promise<DeleteUserResponse> => {
    const user = await administration.findUser(call.principal!, userId);
    refuseSelf(call, user, 'delete');
    await administration.change(call, user, async (locked) => {
      const sessionsEnded = await endSessions(locked.tx, user, call.deadline);
      await locked.remove();
      locked.record('account.deleted', { sessionsEnded });
    });
    return {};
  };
}
