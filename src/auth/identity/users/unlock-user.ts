import type {
  UnlockUserRequest,
  UnlockUserResponse,
} from '../../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { onUser } from './managed-user.ts';
import type { UserDependencies } from './user-dependencies.ts';
import { userMessage } from './user-message.ts';

/** IdentityService.UnlockUser. */
export function createUnlockUser(options: Pick<UserDependencies, 'administration' | 'lock' | 'clock'>) {
  const { administration, lock, clock } = options;

  return onUser(administration, async (_request: UnlockUserRequest, call, user): Promise<UnlockUserResponse> => {
    const changed = await administration.change(call, user, async (locked) => {
      const { loginFailedCount } = locked.account;
      if (await lock.unlock(locked.tx, locked.account)) locked.record('account.unlocked', { loginFailedCount });
    });
    return { user: userMessage(changed, clock()) };
  });
}
