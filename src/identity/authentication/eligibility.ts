// Whether an account may use a credential: one table of rules for logins, machine clients, tokens and API keys.
import type { TenantStatus } from '../../tenancy/tenant.ts';
import type { Account } from '../../principal/account.ts';

/** An account with what decides on its credentials. */
export interface AccountWithTenant {
  readonly account: Account;
  /** Status of the account's tenant; undefined where it has none. */
  readonly tenantStatus: TenantStatus | undefined;
}

/** Credentials that users have. */
export type UserCredential = 'password' | 'refresh-token';
/** Credentials that service accounts have; users have access tokens as well. */
export type ServiceCredential = 'client-secret' | 'api-key' | 'access-token';

/** Which rule refuses an account. */
export type IneligibilityCause =
  | 'unknown'
  | 'service-account'
  | 'interactive-account'
  | 'tenantless'
  | 'tenant-suspended'
  | 'locked'
  | 'disabled'
  | 'expired';

export interface Refusal<Reason> {
  readonly reason: Reason;
  /** For logs, audit and maximal disclosure. */
  readonly detail: string;
}

interface EligibilityRule {
  readonly cause: Exclude<IneligibilityCause, 'unknown'>;
  readonly appliesTo: readonly (UserCredential | ServiceCredential)[];
  readonly isBroken: (standing: AccountWithTenant, conditions: Conditions) => boolean;
  readonly detail: string | ((account: Account) => string);
}

interface Conditions {
  readonly now: number;
  readonly tenantRequired: boolean;
}

const EVERY_CREDENTIAL = ['password', 'refresh-token', 'client-secret', 'api-key', 'access-token'] as const;

/** Every rule, in the order in which they are checked. */
const RULES: readonly EligibilityRule[] = [
  {
    cause: 'service-account',
    appliesTo: ['password'],
    isBroken: ({ account }) => !account.interactive,
    detail: 'a service account may not log in',
  },
  {
    cause: 'interactive-account',
    appliesTo: ['client-secret'],
    isBroken: ({ account }) => account.interactive,
    detail: 'the account is no service account',
  },
  {
    cause: 'interactive-account',
    appliesTo: ['api-key'],
    isBroken: ({ account }) => account.interactive,
    detail: 'only a service account may hold API keys',
  },
  {
    // A SUPER_ADMIN is a user and never has a tenant.
    cause: 'tenantless',
    appliesTo: ['client-secret', 'api-key', 'access-token'],
    isBroken: ({ account }, { tenantRequired }) =>
      tenantRequired && !account.interactive && account.tenantId === undefined,
    detail: 'the account has no tenant',
  },
  {
    cause: 'tenant-suspended',
    appliesTo: EVERY_CREDENTIAL,
    isBroken: tenantStopped,
    detail: 'the tenant is suspended',
  },
  {
    // What an account holds already outlives a lock.
    cause: 'locked',
    appliesTo: ['password', 'client-secret'],
    isBroken: ({ account }, { now }) => isLocked(account, now),
    detail: ({ lockedUntil }) => lockedDetail(lockedUntil!),
  },
  {
    cause: 'disabled',
    appliesTo: EVERY_CREDENTIAL,
    isBroken: ({ account }) => account.disabled,
    detail: 'the account is disabled',
  },
  {
    cause: 'expired',
    appliesTo: EVERY_CREDENTIAL,
    isBroken: ({ account }, { now }) => isPast(account.accountExpiresAt, now),
    detail: 'the account has expired',
  },
];

const UNKNOWN: Readonly<Record<UserCredential | ServiceCredential, string>> = {
  password: 'no account has this username',
  'refresh-token': 'the account does not exist',
  'client-secret': 'no account has this client id',
  'api-key': 'the subject of the credential does not exist',
  'access-token': 'the subject of the credential does not exist',
};

/**
 * Why an account may not use its credential of this kind now; undefined if it may. The credential itself is checked elsewhere.
 *
 * @param tenantRequired Whether service accounts must belong to a tenant: `app.tenancy.isolation`.
 */
export function findIneligibility(
  credential: UserCredential,
  standing: AccountWithTenant | undefined,
  now: number,
): Refusal<IneligibilityCause> | undefined;
export function findIneligibility(
  credential: ServiceCredential,
  standing: AccountWithTenant | undefined,
  now: number,
  tenantRequired: boolean,
): Refusal<IneligibilityCause> | undefined;
export function findIneligibility(
  credential: UserCredential | ServiceCredential,
  standing: AccountWithTenant | undefined,
  now: number,
  tenantRequired = true,
): Refusal<IneligibilityCause> | undefined {
  if (!standing) return { reason: 'unknown', detail: UNKNOWN[credential] };
  const conditions = { now, tenantRequired };
  const broken = RULES.find((rule) => rule.appliesTo.includes(credential) && rule.isBroken(standing, conditions));
  if (!broken) return undefined;
  const { cause: reason, detail } = broken;
  return { reason, detail: typeof detail === 'string' ? detail : detail(standing.account) };
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
export function tenantStopped({ account, tenantStatus }: AccountWithTenant): boolean {
  return account.tenantId !== undefined && tenantStatus !== 'ACTIVE';
}
