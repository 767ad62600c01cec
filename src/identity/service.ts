import { IdentityServiceService } from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import { implement, type Service } from '../rpc/service.ts';
import { createAuthenticate, type AuthenticateDependencies } from './authenticate.ts';
import { createChangeOwnPassword } from './change-own-password.ts';
import { createCreateUser } from './create-user.ts';
import { createDeleteUser } from './delete-user.ts';
import { createDisableUser } from './disable-user.ts';
import { createEnableUser } from './enable-user.ts';
import { createExplainCredential, type ExplainCredentialDependencies } from './explain-credential.ts';
import { getMe } from './get-me.ts';
import { createGetUser } from './get-user.ts';
import { createListUsers } from './list-users.ts';
import { createSetUserPassword } from './set-user-password.ts';
import { createSetUserRoles } from './set-user-roles.ts';
import { createUnlockUser } from './unlock-user.ts';
import { createUpdateUser } from './update-user.ts';
import { verifyAccess } from './verify-access.ts';
import type { UserDependencies } from './user-dependencies.ts';

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
