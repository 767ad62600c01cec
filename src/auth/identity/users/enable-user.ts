import type {
  EnableUserRequest,
  EnableUserResponse,
} from '../../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { onUser } from './managed-user.ts';
import type { UserDependencies } from './user-dependencies.ts';
import { userMessage } from './user-message.ts';

/** IdentityService.EnableUser. */
export function createEnableUser({ administration, clock }: Pick<UserDependencies, 'administration' | 'clock'>) {
  return onUser(administration, async (_request: EnableUserRequest, call, user): Promise<EnableUserResponse> => ({
    user: userMessage(await administration.setDisabled(call, user, false), clock()),
  }));
}
