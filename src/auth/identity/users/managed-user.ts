import type { Call } from '../../../platform/rpc/types.ts';
import { loadThenHandle } from '../../../platform/rpc/service.ts';
import type { Account } from '../../principal/account.ts';
import type { AccountAdministration } from './account-administration.ts';

/** Creates the handler of an RPC on one user. Finds the user within the caller's scope first. Throws NOT_FOUND. */
export function onUser<Input extends { readonly userId: string }, Output>(
  administration: Pick<AccountAdministration, 'findUser'>,
  handle: (request: Input, call: Call, user: Account) => Promise<Output>,
) {
  return loadThenHandle(({ userId }: Input, call: Call) => administration.findUser(call.principal!, userId), handle);
}
