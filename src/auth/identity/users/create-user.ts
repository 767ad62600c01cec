import type {
  CreateUserRequest,
  CreateUserResponse,
} from '../../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { loadThenCheckReferences } from '../../../platform/rpc/service.ts';
import {
  assertCanGrantRoles,
  checkRoles,
  ROLES_OF_TENANTS,
  SUPER_ADMIN_ONLY,
  tenantOfNewAccount,
} from './account-input.ts';
import { assertPassword } from './password-policy.ts';
import { userMessage, type UserDependencies } from './users.ts';
import type { Call } from '../../principal/principal.ts';

/** IdentityService.CreateUser. */
export function createUserCreation(options: UserDependencies) {
  const { administration, hasher, checkPassword, clock } = options;

  return loadThenCheckReferences(
    async () => {},
    async (request: CreateUserRequest, call: Call, _found, violations): Promise<CreateUserResponse> => {
      const principal = call.principal!;
      const { username, name, email, password, accountExpiresAt, credentialsExpireAt } = request;
      const holdable = request.tenantId === undefined ? SUPER_ADMIN_ONLY : ROLES_OF_TENANTS;
      await checkRoles(violations, administration.definitions, principal, request, holdable);
      violations.assertNone();
      const ownTenantId = principal.account.tenantId ?? request.tenantId;
      await assertPassword(checkPassword, 'password', password, { tenantId: ownTenantId, username, email });
      const tenantId = await tenantOfNewAccount(principal, request.tenantId, administration.tenantExists);
      assertCanGrantRoles(principal, request.roles);

      const draft = {
        username,
        name,
        email,
        interactive: true,
        resourceServer: false,
        roles: request.roles,
        accountExpiresAt: accountExpiresAt?.getTime(),
        credentialsExpireAt: credentialsExpireAt?.getTime(),
        tenantId,
      };
      const passwordHash = await hasher.hash(password, call);
      const account = await administration.create(call, draft, passwordHash);
      return { user: userMessage(account, clock()) };
    },
  );
}
