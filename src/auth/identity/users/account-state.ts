// The state of a user, as lists show and filter it.
import { UserState } from '../../../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { Condition } from '../../../platform/db/query/condition.ts';
import { enumNames } from '../../../platform/formats/enum-names.ts';
import type { StoredAccount } from '../../access/account.ts';
import { isLocked, isPast } from '../authentication/eligibility.ts';

export const USER_STATE = enumNames(UserState, 'USER_STATE_');
export type AccountState = (typeof USER_STATE.names)[number];

/** Returns the first state that fits. An invited user has no password yet, also after the invitation has ended. */
export function stateOf(account: StoredAccount, now: number): AccountState {
  if (account.disabled) return 'DISABLED';
  if (isPast(account.accountExpiresAt, now)) return 'EXPIRED';
  if (isLocked(account, now)) return 'LOCKED';
  return account.invitationExpiresAt === undefined ? 'ENABLED' : 'INVITED';
}

const EXPIRED = 'a.account_expires_at <= ?';
const NOT_EXPIRED = '(a.account_expires_at IS NULL OR a.account_expires_at > ?)';
const LOCKED = 'a.locked_until > ?';
const NOT_LOCKED = '(a.locked_until IS NULL OR a.locked_until <= ?)';
const INVITED = 'a.invitation_expires_at IS NOT NULL';

/** The conditions of the states, besides `disabled`, and how many times each names now. */
const CONDITIONS: Readonly<Record<AccountState, readonly string[]>> = {
  DISABLED: [],
  EXPIRED: [EXPIRED],
  LOCKED: [LOCKED, NOT_EXPIRED],
  INVITED: [INVITED, NOT_EXPIRED, NOT_LOCKED],
  ENABLED: ['a.invitation_expires_at IS NULL', NOT_EXPIRED, NOT_LOCKED],
};

/** Returns the conditions on rows of accounts `a` in a state, besides that on `disabled`. */
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
