// Identity: accounts, their authentication and their administration. This folder's own files are the account rows.
import { IdentityServiceService } from '../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { implement, type Service } from '../../platform/rpc/service.ts';
import type { Principal } from '../access/principal.ts';
import { createAuthenticate, getMe, type AuthenticateDependencies } from './authentication/authenticate.ts';
import { createVerifyAccess, type VerifyPrincipal } from './authentication/verify-access.ts';
import { createChangeOwnPassword, createSetUserPassword } from './users/set-password.ts';
import { createGetMyAccount, type MyAccountDependencies } from './users/my-account.ts';
import { createUserCreation } from './users/create-user.ts';
import { userHandlers, type UserDependencies } from './users/users.ts';
import { createExplainCredential, type Explainers } from './explain/explain-credential.ts';
import { createSetUserRoles, createUpdateUser } from './users/update-user.ts';

type IdentityDependencies = UserDependencies &
  MyAccountDependencies &
  AuthenticateDependencies & { readonly explainers: Explainers; readonly verifyPrincipal: VerifyPrincipal };

export function identityService(dependencies: IdentityDependencies): Service<Principal> {
  return implement(
    IdentityServiceService,
    {
      getMe,
      getMyAccount: createGetMyAccount(dependencies),
      verifyAccess: createVerifyAccess(dependencies),
      authenticate: createAuthenticate(dependencies),
      explainCredential: createExplainCredential(dependencies),
      changeOwnPassword: createChangeOwnPassword(dependencies),
      createUser: createUserCreation(dependencies),
      ...userHandlers(dependencies),
      updateUser: createUpdateUser(dependencies),
      setUserRoles: createSetUserRoles(dependencies),
      setUserPassword: createSetUserPassword(dependencies),
    },
    { unavailable: 'AUTHENTICATION_SERVICE_UNAVAILABLE' },
  );
}
