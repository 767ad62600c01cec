import type {
  EnableUserRequest,
  EnableUserResponse,
} from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { Call } from '../rpc/types.ts';
import type { UserDependencies } from './user-dependencies.ts';
import { userMessage } from './user-message.ts';

/** IdentityService.EnableUser. */
export function createEnableUser({ administration, clock }: Pick<UserDependencies, 'administration' | 'clock'>) {
  return async ({ userId }: EnableUserRequest, call: Call): Promise<EnableUserResponse> => {
    const user = await administration.findUser(call.principal!, userId);
    return { user: userMessage(await administration.setDisabled(call, user, false), clock()) };
  };
}
