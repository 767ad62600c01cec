import type { GetUserRequest, GetUserResponse } from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { Call } from '../rpc/types.ts';
import type { UserDependencies } from './user-dependencies.ts';
import { userMessage } from './user-message.ts';

/** IdentityService.GetUser. */
export function createGetUser({ administration, clock }: Pick<UserDependencies, 'administration' | 'clock'>) {
  return async ({ userId }: GetUserRequest, call: Call): Promise<GetUserResponse> => ({
    user: userMessage(await administration.findUser(call.principal!, userId), clock()),
  });
}
