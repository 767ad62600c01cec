import { ServiceError } from '../../platform/errors.ts';
import type { Account } from '../principal/account.ts';
import type { FindManagedAccount } from '../identity/users/administrator.ts';
import type { Call } from '../../platform/rpc/types.ts';

/** Creates a function that finds the account of a request within the caller's scope. Throws NOT_FOUND. */
export function createFindAccount(findManagedAccount: FindManagedAccount) {
  return async ({ serviceAccountId }: { readonly serviceAccountId: string }, call: Call): Promise<Account> =>
    (await findManagedAccount(call.principal!, serviceAccountId)).account;
}

/** Throws PRINCIPAL_NOT_ELIGIBLE for a user: only service accounts may hold keys. */
export function assertServiceAccount(account: Account): void {
  if (account.interactive) {
    throw new ServiceError('PRINCIPAL_NOT_ELIGIBLE', { detail: 'only a service account may hold API keys' });
  }
}
