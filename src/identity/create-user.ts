import type {
  CreateUserRequest,
  CreateUserResponse,
} from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import { checkName } from '../characters.ts';
import { createRequestCheck } from '../request-check.ts';
import type { Call } from '../rpc/types.ts';
import {
  checkEmail,
  checkRoles,
  checkTenantId,
  checkUsername,
  demandMayGive,
  ROLES_OF_TENANTS,
  SUPER_ADMIN_ONLY,
  tenantOfNewAccount,
} from './account-input.ts';
import type { UserDependencies } from './user-dependencies.ts';
import { userMessage } from './user-message.ts';

/** IdentityService.CreateUser. */
export function createCreateUser(
  options: Pick<UserDependencies, 'administration' | 'hasher' | 'checkPassword' | 'clock'>,
) {
  const { administration, hasher, checkPassword, clock } = options;

  return async (request: CreateUserRequest, call: Call): Promise<CreateUserResponse> => {
    const principal = call.principal!;
    const check = createRequestCheck();
    checkTenantId(check, request.tenantId);
    const draft = {
      username: checkUsername(check, 'username', request.username),
      name: checkName(check, request.name),
      email: checkEmail(check, request.email),
      interactive: true,
      roles: checkRoles(
        check,
        principal,
        request.roles,
        request.tenantId === undefined ? SUPER_ADMIN_ONLY : ROLES_OF_TENANTS,
      ),
      accountExpiresAt: check.time('accountExpiresAt', request.accountExpiresAt),
      credentialsExpireAt: check.time('credentialsExpireAt', request.credentialsExpireAt),
    };
    const violation = await checkPassword('password', request.password, draft);
    if (violation) check.violate(violation);
    check.demandValid('The user cannot be created');
    const tenantId = await tenantOfNewAccount(principal, request.tenantId, administration.tenantExists);
    demandMayGive(principal, draft.roles);

    const passwordHash = await hasher.hash(request.password, call);
    const account = await administration.create(call, { ...draft, tenantId }, passwordHash);
    return { user: userMessage(account, clock()) };
  };
}
