import type {
  UpdateUserRequest,
  UpdateUserResponse,
  UserFields,
} from '../../../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { AccountChanges } from '../account-store.ts';
import { assertNotSelf } from './administrator.ts';
import { isPast } from '../authentication/eligibility.ts';
import { onUser } from './managed-user.ts';
import type { UserDependencies } from './user-dependencies.ts';
import { userMessage } from './user-message.ts';

/** IdentityService.UpdateUser. */
export function createUpdateUser({ administration, clock }: Pick<UserDependencies, 'administration' | 'clock'>) {
  return onUser(administration, async (request: UpdateUserRequest, call, user): Promise<UpdateUserResponse> => {
    const changes = maskedChanges(request.user ?? {}, request.updateMask!);
    const now = clock();
    if (isPast(changes.accountExpiresAt, now) || isPast(changes.credentialsExpireAt, now))
      assertNotSelf(call, user, 'expire');

    const changed = await administration.change(call, user, async (locked) => {
      const fields = FIELDS.filter((field) => field in changes && changes[field] !== locked.account[field]);
      if (fields.length === 0) return;
      await locked.update(changes);
      locked.record('account.updated', { fields: fields.join() });
    });
    return { user: userMessage(changed, clock()) };
  });
}

const FIELDS = ['name', 'email', 'accountExpiresAt', 'credentialsExpireAt'] as const;

/** Returns the fields that the mask names. A field without a value is removed. */
function maskedChanges(user: UserFields, mask: readonly string[]): AccountChanges {
  return {
    ...(mask.includes('name') && { name: user.name! }),
    ...(mask.includes('email') && { email: user.email }),
    ...(mask.includes('account_expires_at') && { accountExpiresAt: user.accountExpiresAt?.getTime() }),
    ...(mask.includes('credentials_expire_at') && { credentialsExpireAt: user.credentialsExpireAt?.getTime() }),
  };
}
