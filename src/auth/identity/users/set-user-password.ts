import type {
  SetUserPasswordRequest,
  SetUserPasswordResponse,
} from '../../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { assertNotSelf } from './administrator.ts';
import { onUser } from './managed-user.ts';
import { assertPassword } from './password-policy.ts';
import { replacePassword } from './replace-password.ts';
import type { UserDependencies } from './user-dependencies.ts';
import { userMessage } from './user-message.ts';

/** IdentityService.SetUserPassword. */
export function createSetUserPassword(
  options: Pick<UserDependencies, 'administration' | 'hasher' | 'checkPassword' | 'lock' | 'endSessions' | 'clock'>,
) {
  const { administration, hasher, checkPassword, clock } = options;

  return onUser(
    administration,
    async ({ password }: SetUserPasswordRequest, call, user): Promise<SetUserPasswordResponse> => {
      // Changing one's own password requires the current password; a token alone is not enough.
      assertNotSelf(call, user, 'set the password of');
      await assertPassword(checkPassword, 'password', password, user);

      const passwordHash = await hasher.hash(password, call);
      const changed = await administration.change(call, user, (locked) =>
        replacePassword(locked, passwordHash, options, call),
      );
      return { user: userMessage(changed, clock()) };
    },
  );
}
