import type { Account } from '../principal/account.ts';
import type { AccountAdministration } from '../identity/users/account-administration.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import type { Call } from '../../platform/rpc/types.ts';

/**
 * Creates the handler of an RPC on one service account. Finds the account within the caller's scope first. Throws
 * NOT_FOUND.
 */
export function onServiceAccount<Input extends { readonly serviceAccountId: string }, Output>(
  administration: Pick<AccountAdministration, 'findServiceAccount'>,
  handle: (request: Input, call: Call, account: Account) => Promise<Output>,
) {
  return loadThenHandle(
    ({ serviceAccountId }: Input, call: Call) => administration.findServiceAccount(call.principal!, serviceAccountId),
    handle,
  );
}
