// Accounts and their roles: pure facts, no I/O.
import { Role as RoleMessage } from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import { enumNames } from '../formats/enum-names.ts';

/** Every role an account can hold, without the ROLE_ prefix. */
export const ROLES = enumNames(RoleMessage, 'ROLE_').names;
export type Role = (typeof ROLES)[number];

/** A user (interactive) or a service account (not). */
export interface Account {
  /** UUIDv7. */
  readonly id: string;
  /** Absent for a SUPER_ADMIN, and for a service account that was created without a tenant. */
  readonly tenantId: string | undefined;
  /** Canonical login name; a service account's client id. */
  readonly username: string;
  readonly name: string;
  readonly email: string | undefined;
  /** Whether it may log in with a password; a service account may not. */
  readonly interactive: boolean;
  /** Roles as held, the first is primary. */
  readonly roles: readonly Role[];
  readonly disabled: boolean;
  /** Unix milliseconds. */
  readonly accountExpiresAt: number | undefined;
  /** From when the password does not count any more, Unix milliseconds. */
  readonly credentialsExpireAt: number | undefined;
  /** Consecutive wrong passwords. */
  readonly loginFailedCount: number;
  /** Unix milliseconds. */
  readonly lockedUntil: number | undefined;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** Set if all sessions have been ended at once. */
  readonly endedSessions?: EndedSessions | undefined;
}

/** All sessions that an account had at one moment. */
export interface EndedSessions {
  /** The greatest id of them: sessions begun since then have greater ones. */
  readonly through: string;
  /** Unix milliseconds. */
  readonly at: number;
}

/** Whether a session has ended with all others of its account. */
export function hasEnded({ endedSessions }: Pick<Account, 'endedSessions'>, sessionId: string): boolean {
  return endedSessions !== undefined && sessionId <= endedSessions.through;
}

/** What each role contains besides itself, in the interface's order. */
const INHERITED: Partial<Record<Role, readonly Role[]>> = {
  ADMIN: ['OWNER', 'MANAGER', 'SALES', 'ACCOUNTANT', 'PURCHASER', 'FLORIST', 'DELIVERY'],
  OWNER: ['MANAGER', 'SALES', 'ACCOUNTANT', 'PURCHASER', 'FLORIST', 'DELIVERY'],
  MANAGER: ['SALES', 'ACCOUNTANT'],
};

/** Flattens held roles: the primary one first, then what it inherits, then further held roles with theirs, each once. */
export function flattenRoles(held: readonly Role[]): readonly Role[] {
  return [...new Set(held.flatMap((role) => [role, ...(INHERITED[role] ?? [])]))];
}

// Every token and many answers ask, and there are few lists of roles.
const knownLists = new Map<string, readonly string[]>();

/** The flattened roles as tokens and bodies show them: `ROLE_<NAME>`. */
export function prefixedRoles(held: readonly Role[]): string[] {
  const list = held.join();
  let prefixed = knownLists.get(list);
  if (!prefixed) {
    prefixed = flattenRoles(held).map((role) => `ROLE_${role}`);
    knownLists.set(list, prefixed);
  }
  return [...prefixed];
}
