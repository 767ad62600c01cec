import type {
  UnlockUserRequest,
  UnlockUserResponse,
} from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { Call } from '../rpc/types.ts';
import type { UserDependencies } from './user-dependencies.ts';
import { userMessage } from './user-message.ts';

/** IdentityService.UnlockUser. */
export function createUnlockUser(options: Pick<UserDependencies, 'administration' | 'lock' | 'clock'>) {
  const { administration, lock, clock } = options;

  return async ({ userId }: UnlockUserRequest, call: Call): Promise<UnlockUserResponse> => {
    const user = await administration.findUser(call.principal!, userId);
    const changed = await administration.change(call, user, async (locked) => {
      const { loginFailedCount } = locked.account;
      if (await lock.lift(locked.tx, locked.account)) locked.record('account.unlocked', { loginFailedCount });
    });
    return { user: userMessage(changed, clock()) };
  };
}
