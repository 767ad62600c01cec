import type { SetUserPasswordRequest, SetUserPasswordResponse } from '../../proto/gen/identity/v1/identity_service.ts';
import { createRequestCheck } from '../request-check.ts';
import type { Call } from '../rpc/types.ts';
import { refuseSelf } from './administrator.ts';
import { passwordViolation } from './password-policy.ts';
import { replacePassword } from './replace-password.ts';
import type { UserDependencies } from './user-dependencies.ts';
import { userMessage } from './user-message.ts';

/** IdentityService.SetUserPassword. */
export function createSetUserPassword(
  options: Pick<UserDependencies, 'administration' | 'hasher' | 'lock' | 'endSessions' | 'clock'>,
) {
  const { administration, hasher, clock } = options;

  return async ({ userId, password }: SetUserPasswordRequest, call: Call): Promise<SetUserPasswordResponse> => {
    const user = await administration.findUser(call.principal!, userId);
    // The own one is changed by whoever knows it, not by whoever holds a token.
    refuseSelf(call, user, 'set the password of');
    const check = createRequestCheck();
    const violation = passwordViolation('password', password, user);
    if (violation) check.violate(violation);
    check.demandValid('The password does not meet the policy');

    const passwordHash = await hasher.hash(password, call.deadline);
    const changed = await administration.change(call, user, (locked) =>
      replacePassword(locked, passwordHash, options, call),
    );
    return { user: userMessage(changed, clock()) };
  };
}
