import type {
  ChangeOwnPasswordRequest,
  ChangeOwnPasswordResponse,
} from '../../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { Call } from '../../../platform/rpc/types.ts';
import { assertPassword } from './password-policy.ts';
import { replacePassword } from './replace-password.ts';
import type { UserDependencies } from './user-dependencies.ts';

/** IdentityService.ChangeOwnPassword. */
export function createChangeOwnPassword(
  options: Pick<UserDependencies, 'administration' | 'manager' | 'hasher' | 'checkPassword' | 'lock' | 'endSessions'>,
) {
  const { administration, manager, hasher, checkPassword } = options;

  return async (request: ChangeOwnPasswordRequest, call: Call): Promise<ChangeOwnPasswordResponse> => {
    const { account } = call.principal!;
    const { currentPassword, newPassword } = request;
    await assertPassword(checkPassword, 'newPassword', newPassword, account, currentPassword);
    if (!account.interactive) {
      throw new ServiceError('PRINCIPAL_NOT_ELIGIBLE', { detail: 'a service account has no password' });
    }

    await manager.confirm(account, currentPassword, call, async () => {
      const passwordHash = await hasher.hash(newPassword, call);
      return (tx, record, settle) =>
        administration.changeWithin(tx, record, call, account, async (locked) => {
          await settle();
          await replacePassword(locked, passwordHash, options, call);
        });
    });
    return {};
  };
}
