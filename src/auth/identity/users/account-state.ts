// The state of a user, as lists show and filter it.
import { UserState } from '../../../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { Condition } from '../../../platform/db/query/condition.ts';
import { enumNames } from '../../../platform/formats/enum-names.ts';
import type { StoredAccount } from '../../access/account.ts';
import { isDisabled, isLocked, isPast } from '../authentication/eligibility.ts';

export const USER_STATE = enumNames(UserState, 'USER_STATE_');
export type AccountState = (typeof USER_STATE.names)[number];

/** Returns the first state that fits. An invited user has no password yet, also after the invitation has ended. */
export function stateOf(account: StoredAccount, now: number): AccountState {
  if (isDisabled(account, now)) return 'DISABLED';
  if (isPast(account.accountExpiresAt, now)) return 'EXPIRED';
  if (isLocked(account, now)) return 'LOCKED';
  return account.invitationExpiresAt === undefined ? 'ENABLED' : 'INVITED';
}

const EXPIRED = 'a.account_expires_at <= ?';
const NOT_EXPIRED = '(a.account_expires_at IS NULL OR a.account_expires_at > ?)';
const LOCKED = 'a.locked_until > ?';
const NOT_LOCKED = '(a.locked_until IS NULL OR a.locked_until <= ?)';
const INVITED = 'a.invitation_expires_at IS NOT NULL';

/** The conditions of the states, besides that of `whetherDisabled`, and how many times each names now. */
const CONDITIONS: Readonly<Record<AccountState, readonly string[]>> = {
  DISABLED: [],
  EXPIRED: [EXPIRED],
  LOCKED: [LOCKED, NOT_EXPIRED],
  INVITED: [INVITED, NOT_EXPIRED, NOT_LOCKED],
  ENABLED: ['a.invitation_expires_at IS NULL', NOT_EXPIRED, NOT_LOCKED],
};

/** Rows of accounts `a` that are disabled, or will be by the job that disables accounts at their time. */
const DISABLED_OR_DUE = '(a.disabled = 1 OR a.disable_at <= ?)';

/**
 * Returns the condition on rows of accounts `a` that are disabled, or on those that are not.
 *
 * @param dueBy Set if an account is to be disabled by then, and the job has not done it yet. Without one, the index has all that is read.
 */
export function whetherDisabled(disabled: boolean | undefined, dueBy: number | undefined): readonly Condition[] {
  if (disabled === undefined) return [];
  if (dueBy === undefined) return [{ sql: 'a.disabled = ?', values: [Number(disabled)] }];
  return [{ sql: disabled ? DISABLED_OR_DUE : `${DISABLED_OR_DUE} IS NOT TRUE`, values: [dueBy] }];
}

/** Returns the conditions on rows of accounts `a` in a state, besides that of `whetherDisabled`. */
export function inState(state: AccountState | undefined, now: number): readonly Condition[] {
  if (state === undefined) return [];
  return CONDITIONS[state].map((sql) => ({ sql, values: sql.includes('?') ? [now] : [] }));
}

/** The columns whose index has few rows, those in this state among them. Migration 0083 creates it. */
export const INDEX_OF_STATE: Readonly<Partial<Record<AccountState, readonly string[]>>> = {
  EXPIRED: ['account_expires_at', 'tenant_id', 'id'],
  LOCKED: ['locked_until', 'tenant_id', 'id'],
  INVITED: ['invitation_expires_at', 'tenant_id', 'id'],
};
