// Decides which factor a user must give beside the password. Pure functions.
import type { Policy, SecondFactorRule } from '../access/policy/policy-fields.ts';
import type { Account, FactorMethod } from '../access/account.ts';
import { permissionNames } from '../access/roles/rights.ts';

/** What a login needs beside the right password. */
export type FactorDecision =
  | { readonly kind: 'none' }
  /** One of these methods, in the order in which a client should offer them. */
  | { readonly kind: 'factor'; readonly methods: readonly FactorMethod[] }
  /** The tenant requires a factor and the account has none: the user creates one of these first. */
  | { readonly kind: 'enrolment'; readonly methods: readonly FactorMethod[] }
  /** The account has factors, and none of them can be used now. */
  | { readonly kind: 'unusable' };

export interface FactorOptions {
  /** Whether the service accepts passkeys. */
  readonly passkeys: boolean;
}

/** The part of a tenant's policy that concerns factors. */
type FactorPolicy = Pick<Policy, 'secondFactor'>;

const ADMINISTRATIVE = /^MANAGE_/;

/** Whether an account must have a second factor. */
export function requiresFactor({ rights }: Pick<Account, 'rights'>, { secondFactor }: FactorPolicy): boolean {
  return IS_REQUIRED[secondFactor](rights);
}

const IS_REQUIRED: Readonly<Record<SecondFactorRule, (rights: Account['rights']) => boolean>> = {
  OPTIONAL: () => false,
  REQUIRED_FOR_ADMINISTRATORS: ({ permissions }) =>
    permissionNames(permissions).some((name) => ADMINISTRATIVE.test(name)),
  REQUIRED: () => true,
};

/** Decides what the login of an account needs after the right password. */
export function decideFactors(
  account: Pick<Account, 'factors' | 'rights' | 'accessCodeUntil'>,
  policy: FactorPolicy,
  { passkeys }: FactorOptions,
  /** Default: access codes do not count. */
  now = Infinity,
): FactorDecision {
  const isOffered = (method: FactorMethod) => passkeys || method !== 'passkey';
  if (account.factors.length > 0) {
    const hasCode = (account.accessCodeUntil ?? 0) > now;
    const methods = [...account.factors.filter(isOffered), ...(hasCode ? (['access-code'] as const) : [])];
    return methods.length > 0 ? { kind: 'factor', methods } : { kind: 'unusable' };
  }
  if (!requiresFactor(account, policy)) return { kind: 'none' };
  return { kind: 'enrolment', methods: (['totp', 'passkey'] as const).filter(isOffered) };
}
