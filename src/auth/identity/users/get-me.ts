import type { GetMeRequest, GetMeResponse } from '../../../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { Call } from '../../../platform/rpc/types.ts';
import { accountMessage } from '../account-message.ts';

/** IdentityService.GetMe. Returns the caller's account, which the bearer check has just read. */
export async function getMe(_request: GetMeRequest, call: Call): Promise<GetMeResponse> {
  return { account: accountMessage(call.principal!.account) };
}
