// Accounts and their roles: types and pure functions, no I/O.
import { Role as RoleMessage } from '../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { enumNames } from '../../platform/formats/enum-names.ts';

/** Every role an account can hold, without the ROLE_ prefix. */
export const ROLES = enumNames(RoleMessage, 'ROLE_').names;
export type Role = (typeof ROLES)[number];

/** A user (interactive) or a service account (not interactive). */
export interface Account {
  /** UUIDv7. */
  readonly id: string;
  /** Undefined for a SUPER_ADMIN, and for a service account created without a tenant. */
  readonly tenantId: string | undefined;
  /** Canonical login name. For a service account, its client id. */
  readonly username: string;
  readonly name: string;
  readonly email: string | undefined;
  /** Whether the account may log in with a password. False for service accounts. */
  readonly interactive: boolean;
  /** Directly assigned roles. The first is primary. */
  readonly roles: readonly Role[];
  readonly disabled: boolean;
  /** Unix milliseconds. */
  readonly accountExpiresAt: number | undefined;
  /** When the password expires, Unix milliseconds. */
  readonly credentialsExpireAt: number | undefined;
  /** Consecutive wrong passwords. */
  readonly loginFailedCount: number;
  /** Unix milliseconds. */
  readonly lockedUntil: number | undefined;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** Set if all sessions of the account were ended together. */
  readonly endedSessions?: EndedSessions | undefined;
}

/** The sessions that an account had at one time. */
export interface EndedSessions {
  /** The greatest of their ids. Later sessions have greater ids. */
  readonly through: string;
  /** Unix milliseconds. */
  readonly at: number;
}

/** Whether a session was ended together with all others of its account. */
export function hasEnded({ endedSessions }: Pick<Account, 'endedSessions'>, sessionId: string): boolean {
  return endedSessions !== undefined && sessionId <= endedSessions.through;
}

/** The roles that each role inherits, in the interface's order. */
const INHERITED: Partial<Record<Role, readonly Role[]>> = {
  ADMIN: ['OWNER', 'MANAGER', 'SALES', 'ACCOUNTANT', 'PURCHASER', 'FLORIST', 'DELIVERY'],
  OWNER: ['MANAGER', 'SALES', 'ACCOUNTANT', 'PURCHASER', 'FLORIST', 'DELIVERY'],
  MANAGER: ['SALES', 'ACCOUNTANT'],
};

/**
 * Returns the roles and all inherited roles, each once. Each role is followed by those that it inherits, beginning with
 * the primary role.
 */
export function flattenRoles(roles: readonly Role[]): readonly Role[] {
  return [...new Set(roles.flatMap((role) => [role, ...(INHERITED[role] ?? [])]))];
}

// Cached: every token and many responses need it, and there are few distinct lists of roles.
const knownLists = new Map<string, readonly string[]>();

/** Returns the flattened roles as they appear in tokens and bodies: `ROLE_<NAME>`. */
export function prefixedRoles(roles: readonly Role[]): string[] {
  const list = roles.join();
  let prefixed = knownLists.get(list);
  if (!prefixed) {
    prefixed = flattenRoles(roles).map((role) => `ROLE_${role}`);
    knownLists.set(list, prefixed);
  }
  return [...prefixed];
}
