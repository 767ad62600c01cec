import type {
  DisableUserRequest,
  DisableUserResponse,
} from '../../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { onUser } from './managed-user.ts';
import type { UserDependencies } from './user-dependencies.ts';
import { userMessage } from './user-message.ts';

/** IdentityService.DisableUser. */
export function createDisableUser({ administration, clock }: Pick<UserDependencies, 'administration' | 'clock'>) {
  return onUser(administration, async (_request: DisableUserRequest, call, user): Promise<DisableUserResponse> => ({
    user: userMessage(await administration.setDisabled(call, user, true), clock()),
  }));
}
