import type { CheckRequest, CheckResponse } from '../../../proto/gen/envoy/service/auth/v3/external_auth.ts';
import type { AuditContext } from '../audit/audit-log.ts';
import { DependencyUnavailableError, ServiceError } from '../../platform/errors.ts';
import type { AuthenticateCredentials } from '../identity/authentication/authenticate-credentials.ts';
import { assertPermissions, identityHeaders } from '../identity/authentication/verify-access.ts';
import { clientAddress } from '../../platform/rpc/pipeline/client-address.ts';
import { toErrorStatus, toServiceError, type DisclosureOptions } from '../../platform/rpc/errors/error-status.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { parseCheckRequest } from './check-request.ts';
import { allow, deny } from './check-response.ts';

export interface CheckDependencies extends DisclosureOptions {
  readonly authenticateCredentials: AuthenticateCredentials;
}

/**
 * Authorization.Check. Refusals and outages are normal responses, which Envoy passes on to its client. Any other error
 * fails the call, and Envoy refuses the request by itself.
 */
export function createCheck({ authenticateCredentials, ...disclosure }: CheckDependencies) {
  return async (request: CheckRequest, call: Call): Promise<CheckResponse> => {
    const { credentials, headerNames, path, permissions, ...claimed } = parseCheckRequest(request);
    const { address } = clientAddress(
      { address: call.clientAddress, trusted: true },
      { ...claimed, sharedAddress: false },
    );
    try {
      const principal = await authenticateCredentials(credentials, contextOf(call, address));
      if (principal === undefined) throw new ServiceError('TOKEN_MISSING');
      assertPermissions(principal, permissions);
      return allow(identityHeaders(principal.account), headerNames);
    } catch (thrown) {
      const error = toRefusal(thrown);
      call.log.info({ reason: error.reason, detail: error.message }, 'request refused for Envoy');
      return deny(toErrorStatus(error, call.requestId, disclosure), disclosure.disclosure, path);
    }
  };
}

/** Returns the audit context of the client's own request. */
function contextOf(call: Call, address: string): AuditContext {
  const { requestId, deadline } = call;
  return {
    requestId,
    deadline,
    clientAddress: address,
    // Created on demand.
    get log() {
      return call.log;
    },
  };
}

function toRefusal(thrown: unknown): ServiceError {
  if (!(thrown instanceof ServiceError || thrown instanceof DependencyUnavailableError)) throw thrown;
  return toServiceError(thrown, 'AUTHENTICATION_SERVICE_UNAVAILABLE');
}
