// Identity: accounts, their authentication and their administration. This folder's own files are the account rows.
import { IdentityServiceService } from '../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { implement, type Service } from '../../platform/rpc/service.ts';
import { createAuthenticate, type AuthenticateDependencies } from './authentication/authenticate.ts';
import { createChangeOwnPassword } from './users/change-own-password.ts';
import { createCreateUser } from './users/create-user.ts';
import { createDeleteUser } from './users/delete-user.ts';
import { createDisableUser } from './users/disable-user.ts';
import { createEnableUser } from './users/enable-user.ts';
import { createExplainCredential, type ExplainCredentialDependencies } from './explain/explain-credential.ts';
import { getMe } from './users/get-me.ts';
import { createGetUser } from './users/get-user.ts';
import { createListUsers } from './users/list-users.ts';
import { createSetUserPassword } from './users/set-user-password.ts';
import { createSetUserRoles } from './users/set-user-roles.ts';
import { createUnlockUser } from './users/unlock-user.ts';
import { createUpdateUser } from './users/update-user.ts';
import { verifyAccess } from './authentication/verify-access.ts';
import type { UserDependencies } from './users/user-dependencies.ts';

export type IdentityDependencies = UserDependencies & AuthenticateDependencies & ExplainCredentialDependencies;

export function identityService(dependencies: IdentityDependencies): Service {
  return implement(
    IdentityServiceService,
    {
      getMe,
      verifyAccess,
      authenticate: createAuthenticate(dependencies),
      explainCredential: createExplainCredential(dependencies),
      changeOwnPassword: createChangeOwnPassword(dependencies),
      createUser: createCreateUser(dependencies),
      getUser: createGetUser(dependencies),
      listUsers: createListUsers(dependencies),
      updateUser: createUpdateUser(dependencies),
      setUserRoles: createSetUserRoles(dependencies),
      disableUser: createDisableUser(dependencies),
      enableUser: createEnableUser(dependencies),
      deleteUser: createDeleteUser(dependencies),
      unlockUser: createUnlockUser(dependencies),
      setUserPassword: createSetUserPassword(dependencies),
    },
    { unavailable: 'AUTHENTICATION_SERVICE_UNAVAILABLE' },
  );
}
