import type { Clock } from '../../../platform/clock.ts';
import type { AccountAdministration } from './account-administration.ts';
import type { AccountLock } from '../authentication/account-lock.ts';
import type { AuthenticationManager } from '../authentication/authentication-manager.ts';
import type { EndSessions } from './change-account.ts';
import type { PasswordHasher } from '../authentication/password-hasher.ts';
import type { CheckPassword } from './password-policy.ts';

/** The dependencies of the user RPCs. Each RPC picks the ones it needs. */
export interface UserDependencies {
  readonly administration: AccountAdministration;
  readonly manager: AuthenticationManager;
  readonly lock: AccountLock;
  readonly hasher: PasswordHasher;
  readonly checkPassword: CheckPassword;
  readonly endSessions: EndSessions;
  readonly clock: Clock;
}
