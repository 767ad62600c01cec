import type { Call } from '../../rpc/types.ts';
import { loadThenHandle } from '../../rpc/service.ts';
import type { Account } from '../../principal/account.ts';
import type { AccountAdministration } from './account-administration.ts';

/** Makes a handler of an RPC that names a user: the user within the caller's scope is looked up first. Throws NOT_FOUND. */
export function onUser<Input extends { readonly userId: string }, Output>(
  administration: Pick<AccountAdministration, 'findUser'>,
  handle: (request: Input, call: Call, user: Account) => Promise<Output>,
) {
  return loadThenHandle(({ userId }: Input, call: Call) => administration.findUser(call.principal!, userId), handle);
}
