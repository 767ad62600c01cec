// What an explanation of a credential is made of; every service explains its own credentials in these terms.
import type { CredentialCheckKind } from '../../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { AdminScope } from '../../db/query/tenant-scope.ts';
import type { Account } from '../../principal/account.ts';
import { tenantStopped, type AccountWithTenant } from '../authentication/eligibility.ts';

type Suffix<Key> = Key extends `CREDENTIAL_CHECK_KIND_${infer Name}` ? Name : never;

/** The kinds of the proto's CredentialCheckKind, without their prefix. */
export type CheckKind = Exclude<Suffix<keyof typeof CredentialCheckKind>, 'UNSPECIFIED'>;

export interface Check {
  readonly kind: CheckKind;
  readonly passed: boolean;
  /** For a person. Never a secret, a token, a verifier or a hash. */
  readonly detail: string;
  /** When it became, or will become, like this; Unix milliseconds. */
  readonly at?: number | undefined;
}

export interface Explanation {
  /** In the order in which they are made; a credential with none that failed is accepted. */
  readonly checks: readonly Check[];
  /** Whose it is, if that is known and within scope. */
  readonly owner?: Pick<Account, 'id' | 'tenantId'>;
}

/**
 * Explains a credential and changes nothing. What belongs to a tenant beyond the scope is explained like what does not exist.
 * Rejects with DependencyUnavailableError where the database does not answer.
 */
export type Explain = (credential: string, scope: AdminScope) => Promise<Explanation>;

export function pass(kind: CheckKind, detail: string, at?: number): Check {
  return { kind, passed: true, detail, at };
}

export function fail(kind: CheckKind, detail: string, at?: number): Check {
  return { kind, passed: false, detail, at };
}

/** Passes where there is no refusal. */
export function checkOf(kind: CheckKind, refusal: string | undefined, otherwise: string, at?: number): Check {
  return refusal === undefined ? pass(kind, otherwise, at) : fail(kind, refusal, at);
}

/** Why a rule refuses an account, in words; undefined where it does not. */
export type RefusalOf = (standing: AccountWithTenant, now: number) => string | undefined;

/**
 * The checks of an account and of its tenant by the very rule that decides. Where it objects to both, first what it names
 * first.
 */
export function standingChecks(
  standing: AccountWithTenant | undefined,
  now: number,
  refusalOf: RefusalOf,
): readonly Check[] {
  if (!standing) return [fail('ACCOUNT', 'the account does not exist')];
  const { id, tenantId } = standing.account;
  const own = { ...standing, tenantStatus: 'ACTIVE' } as const;
  const refusal = refusalOf(own, now);
  const account = checkOf('ACCOUNT', refusal, `nothing speaks against account ${id}`, endOf(own, now, refusalOf));
  if (tenantId === undefined) return [pass('TENANT', 'the account belongs to no tenant'), account];
  const stopped = tenantStopped(standing) ? 'the tenant is suspended' : undefined;
  const tenant = checkOf('TENANT', stopped, `tenant ${tenantId} is active`);
  return refusal !== undefined && refusalOf(standing, now) === refusal ? [account, tenant] : [tenant, account];
}

/** The time of the account without which the rule would not refuse as it does. */
function endOf(standing: AccountWithTenant, now: number, refusalOf: RefusalOf): number | undefined {
  const { account } = standing;
  const refusal = refusalOf(standing, now);
  const without = (field: 'lockedUntil' | 'accountExpiresAt') =>
    refusalOf({ ...standing, account: { ...account, [field]: undefined } }, now);
  if (without('lockedUntil') !== refusal) return account.lockedUntil;
  return without('accountExpiresAt') === refusal ? undefined : account.accountExpiresAt;
}
