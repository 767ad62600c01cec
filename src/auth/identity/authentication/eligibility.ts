// Decides whether an account may use a credential. One table of rules covers logins, machine clients, tokens and API
// keys.
import type { TenantStatus } from '../../tenancy/tenant.ts';
import type { StoredAccount } from '../../access/account.ts';
import { finding, type Finding, type FindingCode } from '../../access/findings.ts';

/** An account and its tenant's status, as the eligibility rules need them. */
export interface AccountWithTenant {
  readonly account: StoredAccount;
  /** Status of the account's tenant; undefined if the account has no tenant. */
  readonly tenantStatus: TenantStatus | undefined;
}

/** Credentials that users have. A factor is a second factor, or a passkey. */
export type UserCredential = 'password' | 'factor' | 'refresh-token';
/** Credentials that service accounts have. Users have access tokens as well. */
export type ServiceCredential = 'client-secret' | 'api-key' | 'access-token';

/** The rule that refuses an account. */
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

/** Why an account may not use a credential. */
export type Ineligibility = Refusal<IneligibilityCause> & Finding;

interface EligibilityRule {
  readonly cause: Exclude<IneligibilityCause, 'unknown'>;
  readonly appliesTo: readonly (UserCredential | ServiceCredential)[];
  readonly isViolated: (accountWithTenant: AccountWithTenant, conditions: Conditions) => boolean;
  readonly find: (account: StoredAccount) => Finding;
}

interface Conditions {
  readonly now: number;
  /** Undefined for the credentials of users, which no rule about it concerns. */
  readonly tenantRequired: boolean | undefined;
}

const EVERY_CREDENTIAL = ['password', 'factor', 'refresh-token', 'client-secret', 'api-key', 'access-token'] as const;

/** All rules, in the order in which they are checked. */
const RULES: readonly EligibilityRule[] = [
  {
    cause: 'service-account',
    appliesTo: ['password', 'factor'],
    isViolated: ({ account }) => !account.interactive,
    find: () => finding('ACCOUNT_OF_SERVICE'),
  },
  {
    cause: 'interactive-account',
    appliesTo: ['client-secret'],
    isViolated: ({ account }) => account.interactive,
    find: () => finding('ACCOUNT_OF_USER'),
  },
  {
    cause: 'interactive-account',
    appliesTo: ['api-key'],
    isViolated: ({ account }) => account.interactive,
    find: () => finding('API_KEY_OF_USER'),
  },
  {
    // A SUPER_ADMIN is a user and never has a tenant.
    cause: 'tenantless',
    appliesTo: ['client-secret', 'api-key', 'access-token'],
    isViolated: ({ account }, { tenantRequired }) =>
      tenantRequired === true && !account.interactive && account.tenantId === undefined,
    find: () => finding('ACCOUNT_WITHOUT_TENANT'),
  },
  {
    cause: 'tenant-suspended',
    appliesTo: EVERY_CREDENTIAL,
    isViolated: tenantStopped,
    find: () => finding('TENANT_SUSPENDED'),
  },
  {
    // A lock blocks only new logins. Existing tokens and keys of the account stay valid. Wrong passwords never lock a factor:
    // only the right password, or an access token, lets a caller give one.
    cause: 'locked',
    appliesTo: ['password', 'client-secret'],
    isViolated: ({ account }, { now }) => isLocked(account, now),
    find: (account) => lockedUntil(account.lockedUntil!),
  },
  {
    cause: 'disabled',
    appliesTo: EVERY_CREDENTIAL,
    isViolated: ({ account }, { now }) => isDisabled(account, now),
    find: () => finding('ACCOUNT_DISABLED'),
  },
  {
    cause: 'expired',
    appliesTo: EVERY_CREDENTIAL,
    isViolated: ({ account }, { now }) => isPast(account.accountExpiresAt, now),
    find: () => finding('ACCOUNT_EXPIRED'),
  },
];

const UNKNOWN = {
  password: 'USERNAME_UNKNOWN',
  factor: 'ACCOUNT_UNKNOWN',
  'refresh-token': 'ACCOUNT_UNKNOWN',
  'client-secret': 'CLIENT_ID_UNKNOWN',
  'api-key': 'SUBJECT_UNKNOWN',
  'access-token': 'SUBJECT_UNKNOWN',
} as const satisfies Readonly<Record<UserCredential | ServiceCredential, FindingCode>>;

/**
 * Returns why an account may not use this kind of credential now; undefined if it may. The credential itself is checked
 * elsewhere.
 *
 * @param tenantRequired Whether service accounts must belong to a tenant: `app.tenancy.isolation`.
 */
export function findIneligibility(
  credential: UserCredential,
  accountWithTenant: AccountWithTenant | undefined,
  now: number,
): Ineligibility | undefined;
export function findIneligibility(
  credential: ServiceCredential,
  accountWithTenant: AccountWithTenant | undefined,
  now: number,
  tenantRequired: boolean,
): Ineligibility | undefined;
export function findIneligibility(
  credential: UserCredential | ServiceCredential,
  accountWithTenant: AccountWithTenant | undefined,
  now: number,
  tenantRequired?: boolean,
): Ineligibility | undefined {
  if (!accountWithTenant) return { reason: 'unknown', ...finding(UNKNOWN[credential]) };
  const conditions = { now, tenantRequired };
  const violated = RULES.find(
    (rule) => rule.appliesTo.includes(credential) && rule.isViolated(accountWithTenant, conditions),
  );
  if (!violated) return undefined;
  return { reason: violated.cause, ...violated.find(accountWithTenant.account) };
}

export function isLocked(account: StoredAccount, now: number): boolean {
  return (account.lockedUntil ?? 0) > now;
}

/** Why the password of an account is not checked until then. */
export function lockedUntil(until: number): Finding {
  return finding('ACCOUNT_LOCKED', { until: new Date(until).toISOString() });
}

export function isPast(time: number | undefined, now: number): boolean {
  return (time ?? Infinity) <= now;
}

/** Whether an account is disabled, also if the job that disables accounts at their time comes later. */
export function isDisabled(
  { disabled, disableAt }: Pick<StoredAccount, 'disabled' | 'disableAt'>,
  now: number,
): boolean {
  return disabled || isPast(disableAt, now);
}

/** Whether the access tokens of an account are accepted, if its tenant's are. */
export function isUsable(account: StoredAccount | undefined, now: number): boolean {
  return account !== undefined && !isDisabled(account, now) && !isPast(account.accountExpiresAt, now);
}

/** Whether the account's tenant is missing or not active. */
export function tenantStopped({ account, tenantStatus }: AccountWithTenant): boolean {
  return account.tenantId !== undefined && tenantStatus !== 'ACTIVE';
}
