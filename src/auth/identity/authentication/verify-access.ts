import type {
  VerifyAccessRequest,
  VerifyAccessResponse,
} from '../../../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { Call } from '../../../platform/rpc/types.ts';
import { identityHeaders } from './identity-headers.ts';
import { assertPermissions } from './required-permissions.ts';

/** IdentityService.VerifyAccess: identifies the sender of a request to another service and checks its permissions. */
export async function verifyAccess(request: VerifyAccessRequest, call: Call): Promise<VerifyAccessResponse> {
  const principal = call.principal!;
  assertPermissions(principal, request.permission);
  return { headers: identityHeaders(principal.account) };
}
