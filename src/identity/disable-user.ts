import type {
  DisableUserRequest,
  DisableUserResponse,
} from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { Call } from '../rpc/types.ts';
import type { UserDependencies } from './user-dependencies.ts';
import { userMessage } from './user-message.ts';

/** IdentityService.DisableUser. */
export function createDisableUser({ administration, clock }: Pick<UserDependencies, 'administration' | 'clock'>) {
  return async ({ userId }: DisableUserRequest, call: Call): Promise<DisableUserResponse> => {
    const user = await administration.findUser(call.principal!, userId);
    return { user: userMessage(await administration.setDisabled(call, user, true), clock()) };
  };
}
