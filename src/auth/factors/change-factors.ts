// Adds and removes factors of an account, within a transaction that has locked its row.
import type { Statements } from '../../platform/db/types.ts';
import type { Account, FactorMethod } from '../principal/account.ts';
import { replaceRecoveryCodes, storeFactorList } from './factor-store.ts';
import { newRecoveryCodes, recoveryCodeHash } from './recovery-code.ts';

/** A factor that a user creates. Recovery codes come with the first one. */
type CreatedMethod = Exclude<FactorMethod, 'recovery-code'>;

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
  const codes = newRecoveryCodes();
  await replaceRecoveryCodes(
    tx,
    account,
    codes.map((code) => recoveryCodeHash(code)!),
    now,
  );
  await storeFactorList(tx, account, [method, 'recovery-code']);
  return codes;
}

/**
 * Removes a factor from the list of an account. The recovery codes go with the last one.
 *
 * @param hasAnother Whether the account has another factor of the same method: another passkey.
 */
export async function removeFactor(
  tx: Statements,
  account: Account,
  method: CreatedMethod,
  { hasAnother = false, now }: { readonly hasAnother?: boolean; readonly now: number },
): Promise<void> {
  const left = hasAnother ? account.factors : account.factors.filter((other) => other !== method);
  if (left.some((other) => other !== 'recovery-code')) return storeFactorList(tx, account, left);
  await replaceRecoveryCodes(tx, account, [], now);
  await storeFactorList(tx, account, []);
}
