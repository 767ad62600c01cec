import type { Statements } from '../../platform/db/types.ts';
import type { MailedFactor } from '../mail/factor-lines.ts';
import type { Notified } from '../mail/notices.ts';
import { countRecoveryCodes, findFactors } from './factor-store.ts';
import { findPasskeys } from './passkey-store.ts';

/** Returns the factors of an account with their dates, for a notice. */
export async function listFactors(tx: Statements, account: Notified): Promise<MailedFactor[]> {
  if (account.factors.length === 0) return [];
  const { totpCreatedAt, recoveryCreatedAt } = await findFactors(tx, account);
  const passkeys = await findPasskeys(tx, account);
  const remaining = await countRecoveryCodes(tx, account);
  return [
    ...(totpCreatedAt === undefined ? [] : [{ method: 'totp' as const, createdAt: totpCreatedAt }]),
    ...passkeys.map(({ label, createdAt }) => ({ method: 'passkey' as const, label, createdAt })),
    ...(recoveryCreatedAt === undefined
      ? []
      : [{ method: 'recovery-code' as const, remaining, createdAt: recoveryCreatedAt }]),
  ];
}
