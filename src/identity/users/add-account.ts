import type { Database, Statements } from '../../db/types.ts';
import { ServiceError } from '../../errors.ts';
import { canClaimUsername } from '../../tenancy/claim-username.ts';
import type { Account } from '../../principal/account.ts';
import { insertAccount } from '../account-store.ts';

/**
 * Adds an account in a transaction: the one way in which usernames come to be. Rejects with VALIDATION_ERROR for a username under a
 * login domain of another tenant, with DatabaseError `duplicate` for one that is taken.
 */
export async function addAccount(
  database: Database,
  tx: Statements,
  account: Account,
  passwordHash: string | undefined,
): Promise<void> {
  if (!(await canClaimUsername(database, tx, account.username, account.tenantId))) throw foreignDomain(account);
  await insertAccount(tx, account, passwordHash);
}

/** It does not say which tenant the domain belongs to. */
function foreignDomain({ interactive }: Account): ServiceError {
  const field = interactive ? 'username' : 'clientId';
  return new ServiceError('VALIDATION_ERROR', {
    publicMessage: 'The account cannot be created',
    violations: [
      { message: 'must not lie under a login domain of another tenant', format: 'loginDomain', props: [field] },
    ],
  });
}
