import type { Database, Statements } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { StoredAccount } from '../../access/account.ts';
import { canClaimUsername } from '../../tenancy/claim-username.ts';
import { insertAccount } from '../account-store.ts';
import { refusal } from '../../access/refusals.ts';

/** Returns those of some names that are client ids of others than accounts. They stay so while the transaction holds all names. */
export type SelectReservedNames = (tx: Statements, names: readonly string[]) => Promise<ReadonlySet<string>>;

/**
 * Adds an account in a transaction. All usernames are created here. Rejects with VALIDATION_ERROR if the username lies
 * under a login domain of another tenant. Rejects with CONFLICT if it is reserved, and with DatabaseError `duplicate` if another
 * account has it.
 */
export async function addAccount(
  { database, selectReservedNames }: { readonly database: Database; readonly selectReservedNames: SelectReservedNames },
  tx: Statements,
  account: StoredAccount,
  passwordHash: string | undefined,
): Promise<void> {
  if (!(await canClaimUsername(database, tx, account.username, account.tenantId))) throw foreignDomain(account);
  if ((await selectReservedNames(tx, [account.username])).size > 0) throw takenName(account);
  await insertAccount(tx, account, passwordHash);
}

/** The username or client id of a new account is taken. */
export function takenName({ interactive }: Pick<StoredAccount, 'interactive'>, cause?: unknown): ServiceError {
  return refusal(interactive ? 'usernameTaken' : 'clientIdTaken', undefined, { cause });
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
