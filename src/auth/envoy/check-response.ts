import {
  HeaderValueOption_HeaderAppendAction as AppendAction,
  type HeaderValueOption,
} from '../../../proto/gen/envoy/config/core/v3/base.ts';
import type { CheckResponse } from '../../../proto/gen/envoy/service/auth/v3/external_auth.ts';
import type { StatusCode } from '../../../proto/gen/envoy/type/v3/http_status.ts';
import { IDENTITY_HEADERS, type IdentityHeader } from '../identity/authentication/verify-access.ts';
import type { DisclosureMode } from '../../platform/errors.ts';
import { problem } from '../../platform/problem/problem.ts';
import { grpcCodeOf } from '../../platform/rpc/errors/status-details.ts';
import type { ErrorStatus } from '../../platform/rpc/errors/rpc-error.ts';

const OK = 0;

/** Allows the request. Sets the identity headers over those of the client, and removes their aliases. */
export function allow(headers: readonly IdentityHeader[], headerNames: readonly string[]): CheckResponse {
  const value = {
    headers: headers.map(({ name, value: text }) => overwrite(name.toLowerCase(), text)),
    headersToRemove: identityAliases(headerNames),
  };
  return { status: { code: OK, message: '', details: [] }, httpResponse: { $case: 'okResponse', value } };
}

const IDENTITY_NAMES: ReadonlySet<string> = new Set(IDENTITY_HEADERS.map((name) => name.toLowerCase()));

/**
 * Returns the names that many servers read as an identity header, such as x_auth_tenant. Envoy removes headers after it sets
 * others, so the identity headers themselves must not be among them.
 */
function identityAliases(headerNames: readonly string[]): string[] {
  const sent = new Set(headerNames.map((name) => name.toLowerCase()));
  return [...sent].filter((name) => !IDENTITY_NAMES.has(name) && IDENTITY_NAMES.has(name.replaceAll(/[^a-z\d]/g, '-')));
}

/** Refuses the request with a problem document. */
export function deny(error: ErrorStatus, mode: DisclosureMode, path: string): CheckResponse {
  const { reason, requestId, dependency: _dependency, ...failure } = error;
  const { status, headers, body } = problem({ ...failure, name: reason }, mode, path);
  const denied = {
    ...headers,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(requestId !== undefined && { 'x-request-id': requestId }),
  };
  return {
    status: { code: grpcCodeOf(reason), message: failure.message, details: [] },
    httpResponse: {
      $case: 'deniedResponse',
      value: {
        status: { code: status as StatusCode },
        headers: Object.entries(denied).map(([name, value]) => overwrite(name, value)),
        body: JSON.stringify(body),
      },
    },
  };
}

function overwrite(key: string, value: string): HeaderValueOption {
  return { header: { key, value, rawValue: Buffer.alloc(0) }, appendAction: AppendAction.OVERWRITE_IF_EXISTS_OR_ADD };
}
