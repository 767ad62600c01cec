// What becomes of the factors of an account that an administrator secures, within a transaction that has locked its row.
import type { Statements } from '../../platform/db/types.ts';
import type { Account } from '../access/account.ts';
import {
  countRecoveryCodes,
  findFactors,
  NO_PENDING_TOTP,
  replaceRecoveryCodes,
  storeAccessCode,
  storeFactorList,
  updateFactors,
} from './factor-store.ts';
import { findPasskeys } from './passkey-store.ts';

/**
 * Ends the recovery codes, the access code and an enrolment of an account. TOTP and passkeys stay. Logins whose password is being checked
 * are refused then. Returns the number of recovery codes that were not used.
 */
export async function endCodes(tx: Statements, account: Account, now: number): Promise<number> {
  const count = await countRecoveryCodes(tx, account);
  await updateFactors(tx, account, NO_PENDING_TOTP);
  await storeAccessCode(tx, account, undefined);
  await replaceRecoveryCodes(tx, account, [], now);
  const others = account.factors.filter((method) => method !== 'recovery-code');
  await storeFactorList(tx, account, others);
  return count;
}

/** Returns the TOTP and the passkeys of an account that were created since a time. */
export async function factorsSince(
  tx: Statements,
  account: Account,
  since: number,
): Promise<{ readonly id: string; readonly createdAt: number }[]> {
  const { totpCreatedAt } = await findFactors(tx, account);
  const all = [
    ...(totpCreatedAt === undefined ? [] : [{ id: 'totp', createdAt: totpCreatedAt }]),
    ...(await findPasskeys(tx, account)),
  ];
  return all.filter(({ createdAt }) => createdAt >= since).map(({ id, createdAt }) => ({ id, createdAt }));
}
