import type {
  DeleteUserRequest,
  DeleteUserResponse,
} from '../../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { assertNotSelf } from './administrator.ts';
import { onUser } from './managed-user.ts';
import type { UserDependencies } from './user-dependencies.ts';

/** IdentityService.DeleteUser. The user's audit records stay. */
export function createDeleteUser({
  administration,
  endSessions,
}: Pick<UserDependencies, 'administration' | 'endSessions'>) {
  return onUser(administration, async (_request: DeleteUserRequest, call, user): Promise<DeleteUserResponse> => {
    assertNotSelf(call, user, 'delete');
    await administration.change(call, user, async (locked) => {
      const sessionsEnded = await endSessions(locked.tx, user, call.deadline);
      await locked.remove();
      locked.record('account.deleted', { sessionsEnded });
    });
    return {};
  });
}
