import type { CreateUserRequest, CreateUserResponse } from '../../proto/gen/identity/v1/identity_service.ts';
import { createRequestCheck } from '../request-check.ts';
import type { Call } from '../rpc/types.ts';
import {
  checkEmail,
  checkName,
  checkRoles,
  checkTenantId,
  checkUsername,
  demandMayGive,
  tenantOfNewAccount,
} from './account-input.ts';
import { passwordViolation } from './password-policy.ts';
import type { UserDependencies } from './user-dependencies.ts';
import { userMessage } from './user-message.ts';

/** IdentityService.CreateUser. */
export function createCreateUser(options: Pick<UserDependencies, 'administration' | 'hasher' | 'clock'>) {
  const { administration, hasher, clock } = options;

  return async (request: CreateUserRequest, call: Call): Promise<CreateUserResponse> => {
    const principal = call.principal!;
    const check = createRequestCheck();
    checkTenantId(check, request.tenantId);
    const draft = {
      username: checkUsername(check, 'username', request.username),
      name: checkName(check, request.name),
      email: checkEmail(check, request.email),
      interactive: true,
      roles: checkRoles(check, principal, request.roles, { tenantless: request.tenantId === undefined }),
      accountExpiresAt: check.time('accountExpiresAt', request.accountExpiresAt),
      credentialsExpireAt: check.time('credentialsExpireAt', request.credentialsExpireAt),
    };
    const violation = passwordViolation('password', request.password, draft);
    if (violation) check.violate(violation);
    check.demandValid('The user cannot be created');
    const tenantId = await tenantOfNewAccount(principal, request.tenantId, administration.tenantExists);
    demandMayGive(principal, draft.roles);

    const passwordHash = await hasher.hash(request.password, call.deadline);
    const account = await administration.create(call, { ...draft, tenantId }, passwordHash);
    return { user: userMessage(account, clock()) };
  };
}
