import type { User } from '../../../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { Account } from '../../principal/account.ts';
import { accountMessage } from '../account-message.ts';
import { isLocked } from '../authentication/eligibility.ts';

/** Converts a user to its proto message. An expired lock and the failures before it are not shown. */
export function userMessage(account: Account, now: number): User {
  const { roles, disabled, accountExpiresAt, credentialsExpireAt, lockedUntil, loginFailedCount } = account;
  const locked = isLocked(account, now);
  return {
    account: accountMessage(account),
    heldRoles: [...roles],
    disabled,
    ...(accountExpiresAt !== undefined && { accountExpiresAt: new Date(accountExpiresAt) }),
    ...(credentialsExpireAt !== undefined && { credentialsExpireAt: new Date(credentialsExpireAt) }),
    loginFailedCount: lockedUntil === undefined || locked ? loginFailedCount : 0,
    ...(locked && { lockedUntil: new Date(lockedUntil!) }),
  };
}
