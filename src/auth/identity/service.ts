// Identity: accounts, their authentication and their administration.
// Decides: whose a credential is (`authentication`); whether an account may be used (`eligibility.ts`), and when wrong passwords lock it
// (`account-lock.ts`); why a credential is refused (`explain`); who may change whom, and which passwords are accepted (`users`).
// States: an account is enabled or disabled, and expires; it is free, or locked until a time.
// Tables: accounts, login_decoys.
// Routes: /auth/{me, verify}, /account, /account/password, /credentials/explain, /users, /users/:userId, /users/:userId/{roles, password,
// permissions, enable, disable, unlock, secure}.
import { IdentityServiceService } from '../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { implement, type Service } from '../../platform/rpc/service.ts';
import type { Principal } from '../access/principal.ts';
import { createAuthenticate, getMe, type AuthenticateDependencies } from './authentication/authenticate.ts';
import { createVerifyAccess, type VerifyPrincipal } from './authentication/verify-access.ts';
import { createChangeOwnPassword, createSetUserPassword } from './users/set-password.ts';
import { createGetMyAccount, type MyAccountDependencies } from './users/my-account.ts';
import { createUserCreation } from './users/create-user.ts';
import { createSecureUser, type SecureUserDependencies } from './users/secure-user.ts';
import { userHandlers } from './users/users.ts';
import { createExplainCredential, type Explainers } from './explain/explain-credential.ts';
import { createSetUserRoles, createUpdateUser } from './users/update-user.ts';

type IdentityDependencies = SecureUserDependencies &
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
      createUser: createUserCreation(dependencies).createUser,
      ...userHandlers(dependencies),
      updateUser: createUpdateUser(dependencies),
      setUserRoles: createSetUserRoles(dependencies),
      setUserPassword: createSetUserPassword(dependencies),
      secureUser: createSecureUser(dependencies),
    },
    { unavailable: 'AUTHENTICATION_SERVICE_UNAVAILABLE' },
  );
}
