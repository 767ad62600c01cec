import type {
  VerifyAccessRequest,
  VerifyAccessResponse,
} from '../../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { Call } from '../../rpc/types.ts';
import { identityHeaders } from './identity-headers.ts';
import { assertPermissions } from './required-permissions.ts';

/** IdentityService.VerifyAccess: who sends a request that another service will answer, and whether they may. */
export async function verifyAccess(request: VerifyAccessRequest, call: Call): Promise<VerifyAccessResponse> {
  const principal = call.principal!;
  assertPermissions(principal, request.permission);
  return { headers: identityHeaders(principal.account) };
}
