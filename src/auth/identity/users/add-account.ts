import type { Database, Statements } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { StoredAccount } from '../../access/account.ts';
import { canClaimUsername } from '../../tenancy/claim-username.ts';
import { insertAccount } from '../account-store.ts';

/**
 * Adds an account in a transaction. All usernames are created here. Rejects with VALIDATION_ERROR if the username lies
 * under a login domain of another tenant. Rejects with DatabaseError `duplicate` if it is taken.
 */
export async function addAccount(
  database: Database,
  tx: Statements,
  account: StoredAccount,
  passwordHash: string | undefined,
): Promise<void> {
  if (!(await canClaimUsername(database, tx, account.username, account.tenantId))) throw foreignDomain(account);
  await insertAccount(tx, account, passwordHash);
}

/** The message does not reveal which tenant owns the domain. */
function foreignDomain({ interactive }: StoredAccount): ServiceError {
  const field = interactive ? 'username' : 'clientId';
  return new ServiceError('VALIDATION_ERROR', {
    publicMessage: 'The account cannot be created',
    violations: [
      { message: 'must not lie under a login domain of another tenant', format: 'loginDomain', props: [field] },
    ],
  });
}
