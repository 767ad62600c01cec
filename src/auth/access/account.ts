// Accounts: types and pure functions, no I/O.
import type { FactorMethod } from '../../platform/errors.ts';
import type { Rights } from './roles/rights.ts';

export type { FactorMethod };

/** A user (interactive) or a service account (not interactive), as its row has it. */
export interface StoredAccount {
  /** UUIDv7. */
  readonly id: string;
  /** Undefined for a SUPER_ADMIN, and for a service account created without a tenant. */
  readonly tenantId: string | undefined;
  /** Canonical login name. For a service account, its client id. */
  readonly username: string;
  readonly name: string;
  readonly email: string | undefined;
  /** When a token of a mail has proven the e-mail address, Unix milliseconds. */
  readonly emailVerifiedAt?: number | undefined;
  /** Whether a password is stored. An invited user has none. Unknown for an account that was not read from the database. */
  readonly hasPassword?: boolean;
  /** Until when an invited user can choose the first password, Unix milliseconds. In the past if the invitation has ended. */
  readonly invitationExpiresAt?: number | undefined;
  /** Whether the account may log in with a password. False for service accounts. */
  readonly interactive: boolean;
  /** Directly assigned roles, without the ROLE_ prefix. The first is primary. */
  readonly roles: readonly string[];
  readonly disabled: boolean;
  /** When the account is disabled, Unix milliseconds. Undefined after it, and if there is no such time. */
  readonly disableAt?: number | undefined;
  /** Whether a service account may introspect tokens of every tenant and read the revocations of all. */
  readonly resourceServer: boolean;
  /** Unix milliseconds. */
  readonly accountExpiresAt: number | undefined;
  /** When the password expires, Unix milliseconds. */
  readonly credentialsExpireAt: number | undefined;
  /** Increased by each change by an administrator or the owner, not by logins. Undefined for an account that is not stored yet. */
  readonly version?: number;
  /** Until when the password can begin a login, Unix milliseconds. The login then replaces it. Undefined if the password is not temporary. */
  readonly passwordTemporaryUntil?: number | undefined;
  /** Increased by each change of the password. Undefined for an account that is not stored yet. */
  readonly passwordVersion?: number;
  /** Consecutive wrong passwords. */
  readonly loginFailedCount: number;
  /** Unix milliseconds. */
  readonly lockedUntil: number | undefined;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** When the account last logged in, Unix milliseconds. Undefined before the first login. */
  readonly lastLoginAt?: number | undefined;
  /** When the account was last changed, Unix milliseconds. Unknown for an account that was not read from the database. */
  readonly updatedAt?: number;
  /** The second factors that the account can use, in the order of FactorMethod. */
  readonly factors: readonly FactorMethod[];
  /** Until when an access code stands in for a factor at a login, Unix milliseconds. Undefined if there is none. */
  readonly accessCodeUntil?: number | undefined;
  /** Increased by each change of the factors. */
  readonly factorsVersion: number;
  /** Set if all sessions of the account were ended together. */
  readonly endedSessions?: EndedSessions | undefined;
}

/** The values of a new account. */
export const NO_FACTORS: Pick<StoredAccount, 'factors' | 'factorsVersion'> = { factors: [], factorsVersion: 0 };

/** An account with its rights, by the definitions of its tenant when its row was read. */
export interface Account extends StoredAccount {
  readonly rights: Rights;
}

/** The sessions that an account had at one time. */
export interface EndedSessions {
  /** The greatest of their ids. Later sessions have greater ids. */
  readonly through: string;
  /** Unix milliseconds. */
  readonly at: number;
}

/** Whether a session was ended together with all others of its account. */
export function hasEnded({ endedSessions }: Pick<StoredAccount, 'endedSessions'>, sessionId: string): boolean {
  return endedSessions !== undefined && sessionId <= endedSessions.through;
}
