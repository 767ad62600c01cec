import type {
  GetUserRequest,
  GetUserResponse,
} from '../../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { onUser } from './managed-user.ts';
import type { UserDependencies } from './user-dependencies.ts';
import { userMessage } from './user-message.ts';

/** IdentityService.GetUser. */
export function createGetUser({ administration, clock }: Pick<UserDependencies, 'administration' | 'clock'>) {
  return onUser(administration, async (_request: GetUserRequest, _call, user): Promise<GetUserResponse> => ({
    user: userMessage(user, clock()),
  }));
}
