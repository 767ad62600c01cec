// The parts of a credential explanation. Every service explains its own credentials with them.
import type { CredentialCheckKind } from '../../../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { AdminScope } from '../../../platform/db/query/tenant-scope.ts';
import type { Account } from '../../access/account.ts';
import { finding, type Finding } from '../../access/findings.ts';
import type { FoundAccount } from '../account-row.ts';
import { tenantStopped, type AccountWithTenant } from '../authentication/eligibility.ts';

type Suffix<Key> = Key extends `CREDENTIAL_CHECK_KIND_${infer Name}` ? Name : never;

/** The kinds of the proto enum CredentialCheckKind, without their prefix. */
type CheckKind = Exclude<Suffix<keyof typeof CredentialCheckKind>, 'UNSPECIFIED'>;

export interface Check extends Finding {
  readonly kind: CheckKind;
  readonly passed: boolean;
  /** When the check began or will begin to have this result; Unix milliseconds. */
  readonly at?: number | undefined;
}

export interface Explanation {
  /** In the order in which they run. The credential is accepted if none failed. */
  readonly checks: readonly Check[];
  /** The credential's account, if it is known and within scope. */
  readonly owner?: Pick<Account, 'id' | 'tenantId'>;
  /** The application that has the credential. */
  readonly clientId?: string;
  readonly grantId?: string;
}

/**
 * Explains a credential and changes nothing. A credential of a tenant outside the scope is explained as one that does
 * not exist. Rejects with DependencyUnavailableError if the database is unavailable.
 */
export type Explain = (credential: string, scope: AdminScope) => Promise<Explanation>;

export function pass(kind: CheckKind, { code, params, detail }: Finding, at?: number): Check {
  return { kind, passed: true, code, params, detail, at };
}

export function fail(kind: CheckKind, { code, params, detail }: Finding, at?: number): Check {
  return { kind, passed: false, code, params, detail, at };
}

/** Passes if there is no refusal. */
export function checkOf(kind: CheckKind, refusal: Finding | undefined, otherwise: Finding, at?: number): Check {
  return refusal === undefined ? pass(kind, otherwise, at) : fail(kind, refusal, at);
}

/** Returns why a rule refuses an account now; undefined if it does not. */
type RefusalOf = (accountWithTenant: AccountWithTenant) => Finding | undefined;

/** Finds an account, as AccountStore does. */
export type FindAccount = (account: Pick<Account, 'tenantId' | 'id'>) => Promise<FoundAccount | undefined>;

/**
 * The checks of an account and of its tenant, by the same rule that decides about the credential. If it refuses both,
 * the one that it would name comes first.
 */
export function explainAccount(
  accountWithTenant: AccountWithTenant | undefined,
  refusalOf: RefusalOf,
): readonly Check[] {
  if (!accountWithTenant) return [fail('ACCOUNT', finding('ACCOUNT_UNKNOWN'))];
  const { id, tenantId } = accountWithTenant.account;
  const inActiveTenant = { ...accountWithTenant, tenantStatus: 'ACTIVE' } as const;
  const refusal = refusalOf(inActiveTenant);
  const end = endOf(inActiveTenant, refusalOf);
  const account = checkOf('ACCOUNT', refusal, finding('ACCOUNT_USABLE', { account: id }), end);
  if (tenantId === undefined) return [pass('TENANT', finding('TENANT_NONE')), account];
  const stopped = tenantStopped(accountWithTenant) ? finding('TENANT_SUSPENDED', { tenant: tenantId }) : undefined;
  const tenant = checkOf('TENANT', stopped, finding('TENANT_ACTIVE', { tenant: tenantId }));
  const isFirst = refusal !== undefined && refusalOf(accountWithTenant)?.detail === refusal.detail;
  return isFirst ? [account, tenant] : [tenant, account];
}

/** The times of an account that can refuse it. */
const END_TIMES = ['lockedUntil', 'accountExpiresAt', 'invitationExpiresAt'] as const;

/** Returns the account's end time that causes this refusal; undefined if none does. */
function endOf(accountWithTenant: AccountWithTenant, refusalOf: RefusalOf): number | undefined {
  const { account } = accountWithTenant;
  const refusal = refusalOf(accountWithTenant)?.detail;
  const causes = END_TIMES.find(
    (field) => refusalOf({ ...accountWithTenant, account: { ...account, [field]: undefined } })?.detail !== refusal,
  );
  return causes && account[causes];
}
