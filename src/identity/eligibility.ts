// Whether an account may use a credential: pure decisions, in the contract's order.
import type { ReasonName } from '../errors.ts';
import type { TenantStatus } from '../tenancy/tenant.ts';
import type { Account } from './account.ts';

/** An account with what decides on its credentials. */
export interface AccountStanding {
  readonly account: Account;
  /** Status of the account's tenant; undefined where it has none. */
  readonly tenantStatus: TenantStatus | undefined;
}

export type LoginRefusal = Extract<
  ReasonName,
  'ACCOUNT_NOT_FOUND' | 'LOGIN_POLICY_REJECTED' | 'ACCOUNT_LOCKED' | 'ACCOUNT_DISABLED' | 'ACCOUNT_EXPIRED'
>;

export interface Refusal<Reason> {
  readonly reason: Reason;
  /** For logs, audit and maximal disclosure. */
  readonly detail: string;
}

/** Why a login is refused before its password is looked at; undefined where it may be. */
export function loginRefusal(standing: AccountStanding | undefined, now: number): Refusal<LoginRefusal> | undefined {
  if (!standing) return { reason: 'ACCOUNT_NOT_FOUND', detail: 'no account has this username' };
  const { account } = standing;
  if (!account.interactive) return { reason: 'LOGIN_POLICY_REJECTED', detail: 'a service account may not log in' };
  if (tenantStopped(standing)) return { reason: 'LOGIN_POLICY_REJECTED', detail: 'the tenant is suspended' };
  if (isLocked(account, now)) return { reason: 'ACCOUNT_LOCKED', detail: lockedDetail(account.lockedUntil!) };
  if (account.disabled) return { reason: 'ACCOUNT_DISABLED', detail: 'the account is disabled' };
  if (isPast(account.accountExpiresAt, now)) return { reason: 'ACCOUNT_EXPIRED', detail: 'the account has expired' };
  return undefined;
}

/** Why an account's token, session or key does not work now; undefined where it does. */
export function standingRefusal(standing: AccountStanding, now: number): string | undefined {
  if (tenantStopped(standing)) return 'the tenant is suspended';
  if (standing.account.disabled) return 'the account is disabled';
  if (isPast(standing.account.accountExpiresAt, now)) return 'the account has expired';
  return undefined;
}

export function isLocked(account: Account, now: number): boolean {
  return account.lockedUntil !== undefined && account.lockedUntil > now;
}

export function lockedDetail(until: number): string {
  return `the account is locked until ${new Date(until).toISOString()}`;
}

export function isPast(time: number | undefined, now: number): boolean {
  return time !== undefined && time <= now;
}

/** Whether the account's tenant stops it. One that does not exist does. */
export function tenantStopped({ account, tenantStatus }: AccountStanding): boolean {
  return account.tenantId !== undefined && tenantStatus !== 'ACTIVE';
}
