import type {
  UpdateUserRequest,
  UpdateUserResponse,
} from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import { checkName } from '../characters.ts';
import { createRequestCheck, type RequestCheck } from '../request-check.ts';
import type { Call } from '../rpc/types.ts';
import type { AccountChanges } from './account-store.ts';
import { checkEmail } from './account-input.ts';
import { refuseSelf } from './administrator.ts';
import { isPast } from './eligibility.ts';
import type { UserDependencies } from './user-dependencies.ts';
import { userMessage } from './user-message.ts';

/** IdentityService.UpdateUser. */
export function createUpdateUser({ administration, clock }: Pick<UserDependencies, 'administration' | 'clock'>) {
  return async (request: UpdateUserRequest, call: Call): Promise<UpdateUserResponse> => {
    const user = await administration.findUser(call.principal!, request.userId);
    const check = createRequestCheck();
    const wanted = requestedChanges(check, request);
    check.demandValid('The user cannot be changed so');
    if (isPast(wanted.accountExpiresAt, clock())) refuseSelf(call, user, 'expire');

    const changed = await administration.change(call, user, async (locked) => {
      const fields = FIELDS.filter((field) => field in wanted && wanted[field] !== locked.account[field]);
      if (fields.length === 0) return;
      await locked.update(wanted);
      locked.record('account.updated', { fields: fields.join() });
    });
    return { user: userMessage(changed, clock()) };
  };
}

const FIELDS = ['name', 'email', 'accountExpiresAt', 'credentialsExpireAt'] as const;

function requestedChanges(check: RequestCheck, request: UpdateUserRequest): AccountChanges {
  return {
    ...(request.name !== undefined && { name: checkName(check, request.name) }),
    ...(request.email !== undefined && { email: checkEmail(check, request.email) }),
    ...endDate(check, 'accountExpiresAt', request.accountExpiresAt, request.clearAccountExpiresAt),
    ...endDate(check, 'credentialsExpireAt', request.credentialsExpireAt, request.clearCredentialsExpireAt),
  };
}

function endDate(
  check: RequestCheck,
  field: 'accountExpiresAt' | 'credentialsExpireAt',
  value: Date | undefined,
  clear: boolean,
): AccountChanges {
  if (value !== undefined && clear) {
    check.violate({ message: 'cannot be set and removed at once', format: 'exclusive', props: [field] });
  }
  return value !== undefined || clear ? { [field]: check.time(field, value) } : {};
}
