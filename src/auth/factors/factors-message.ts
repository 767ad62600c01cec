import type { Factors } from '../../../proto/gen/authservice/factor/v1/factor_service.ts';
import type { Database } from '../../platform/db/types.ts';
import type { Policies } from '../access/policy/policies.ts';
import type { Account } from '../access/account.ts';
import { requiresFactor } from './decide-factors.ts';
import { countRecoveryCodes, findFactors } from './factor-store.ts';
import { passkeyMessage } from './own/own-passkeys.ts';
import { findPasskeys } from './passkey-store.ts';

export interface ReadFactors {
  readonly database: Database;
  readonly policies: Pick<Policies, 'load'>;
}

/** Reads the factors of an account, without their secrets. */
export async function factorsMessage({ database, policies }: ReadFactors, account: Account): Promise<Factors> {
  const [row, passkeys, remaining, policy] = await Promise.all([
    findFactors(database, account),
    findPasskeys(database, account),
    countRecoveryCodes(database, account),
    policies.load(account.tenantId),
  ]);
  const { totpCreatedAt, totpLastUsedAt, recoveryCreatedAt } = row;
  return {
    ...(totpCreatedAt !== undefined && {
      totp: {
        createdAt: new Date(totpCreatedAt),
        ...(totpLastUsedAt !== undefined && { lastUsedAt: new Date(totpLastUsedAt) }),
      },
    }),
    passkeys: passkeys.map(passkeyMessage),
    ...(recoveryCreatedAt !== undefined && { recoveryCodes: { remaining, createdAt: new Date(recoveryCreatedAt) } }),
    required: requiresFactor(account, policy.effective),
  };
}
