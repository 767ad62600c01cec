import type { User } from '../../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { Account } from '../../principal/account.ts';
import { accountMessage } from '../account-message.ts';
import { isLocked } from '../authentication/eligibility.ts';

/** A user in the terms of its proto message. A lock that has run out is not shown, nor the failures that led to it. */
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
