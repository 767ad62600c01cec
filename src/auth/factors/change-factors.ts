// Adds and removes factors of an account, within a transaction that has locked its row.
import type { Statements } from '../../platform/db/types.ts';
import type { Policies } from '../access/policy/policies.ts';
import type { Account, FactorMethod } from '../access/account.ts';
import { NO_FAILURES } from './code-lock.ts';
import { requiresFactor } from './decide-factors.ts';
import {
  NO_PENDING_TOTP,
  NO_TOTP,
  replaceRecoveryCodes,
  storeAccessCode,
  storeFactorList,
  updateFactors,
} from './factor-store.ts';
import { deletePasskeysOf } from './passkey-store.ts';
import { newRecoveryCodes, recoveryCodeHash } from './recovery-code.ts';
import { refusal } from '../access/refusals.ts';

/** A factor that a user creates. Recovery codes come with the first one. */
export type CreatedMethod = Exclude<FactorMethod, 'recovery-code' | 'access-code'>;

/** Adds a factor to the list of an account. Returns recovery codes if it is the first one. */
export async function addFactor(
  tx: Statements,
  account: Account,
  method: CreatedMethod,
  now: number,
): Promise<string[]> {
  if (account.factors.length > 0) {
    await storeFactorList(tx, account, [...account.factors, method]);
    return [];
  }
  return createRecoveryCodes(tx, { ...account, factors: [method] }, now);
}

/** Creates recovery codes of an account with other factors. All earlier ones are invalid then. */
export async function createRecoveryCodes(tx: Statements, account: Account, now: number): Promise<string[]> {
  const codes = newRecoveryCodes();
  const hashes = codes.map((code) => recoveryCodeHash(code)!);
  await replaceRecoveryCodes(tx, account, hashes, now);
  await storeFactorList(tx, account, [...account.factors, 'recovery-code']);
  return codes;
}

/** What a removal leaves and needs. */
interface Removal {
  /** Whether the account has another factor of the same method: another passkey. */
  readonly hasAnother?: boolean;
  /** Undefined if an administrator removes the factor, which the policy does not keep. */
  readonly policies?: Pick<Policies, 'load'>;
  readonly now: number;
}

/**
 * Removes a factor from the list of an account. The recovery codes and an access code go with the last one. Rejects with CONFLICT if it is the last one
 * and the tenant requires a factor.
 */
export async function removeFactor(
  tx: Statements,
  account: Account,
  method: CreatedMethod,
  { hasAnother = false, policies, now }: Removal,
): Promise<void> {
  const left = hasAnother ? account.factors : account.factors.filter((other) => other !== method);
  if (left.some((other) => other !== 'recovery-code')) return storeFactorList(tx, account, left);
  const effective = (await policies?.load(account.tenantId, tx))?.effective;
  if (effective && requiresFactor(account, effective)) throw refusal('lastFactor');
  await storeAccessCode(tx, account, undefined);
  await replaceRecoveryCodes(tx, account, [], now);
  await storeFactorList(tx, account, []);
}

/** Removes all factors of an account, and the lock after wrong codes. A used step of a TOTP stays used. */
export async function removeAllFactors(tx: Statements, account: Account, now: number): Promise<void> {
  await updateFactors(tx, account, { ...NO_TOTP, ...NO_PENDING_TOTP, ...NO_FAILURES });
  await deletePasskeysOf(tx, account);
  await storeAccessCode(tx, account, undefined);
  await replaceRecoveryCodes(tx, account, [], now);
  await storeFactorList(tx, account, []);
}
