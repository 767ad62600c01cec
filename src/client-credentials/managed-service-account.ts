import type { Account } from '../principal/account.ts';
import type { AccountAdministration } from '../identity/users/account-administration.ts';
import { loadThenHandle } from '../rpc/service.ts';
import type { Call } from '../rpc/types.ts';

/**
 * Makes a handler of an RPC that names a service account: the service account within the caller's scope is looked up first.
 * Throws NOT_FOUND.
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
