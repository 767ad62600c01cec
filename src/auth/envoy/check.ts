import type { AttributeContext_HttpRequest } from '../../../proto/gen/envoy/service/auth/v3/attribute_context.ts';
import type { CheckRequest, CheckResponse } from '../../../proto/gen/envoy/service/auth/v3/external_auth.ts';
import { DependencyUnavailableError, ServiceError } from '../../platform/errors.ts';
import { requestPath } from '../../platform/problem/request-path.ts';
import { toErrorStatus, toServiceError, type DisclosureOptions } from '../../platform/rpc/errors/error-status.ts';
import { clientAddress } from '../../platform/rpc/pipeline/client-address.ts';
import type { Call } from '../access/principal.ts';
import type { AuditContext } from '../audit/trail/audit-log.ts';
import { allow, deny } from './check-response.ts';
import type {
  AuthenticateCredentials,
  PresentedCredentials,
} from '../identity/authentication/authenticate-credentials.ts';
import type { VerifyPrincipal } from '../identity/authentication/verify-access.ts';

export interface CheckDependencies extends DisclosureOptions {
  readonly authenticateCredentials: AuthenticateCredentials;
  readonly verifyPrincipal: VerifyPrincipal;
}

/**
 * Authorization.Check. Refusals and outages are normal responses, which Envoy passes on to its client. Any other error
 * fails the call, and Envoy refuses the request by itself.
 */
export function createCheck({ authenticateCredentials, verifyPrincipal, ...disclosure }: CheckDependencies) {
  return async (request: CheckRequest, call: Call): Promise<CheckResponse> => {
    const { credentials, headerNames, path, extensions, ...claimed } = parseCheckRequest(request);
    const { address } = clientAddress(
      { address: call.clientAddress, trusted: true },
      { ...claimed, sharedAddress: false },
    );
    try {
      const principal = await authenticateCredentials(credentials, contextOf(call, address));
      if (principal === undefined) throw new ServiceError('TOKEN_MISSING');
      return allow(await verifyPrincipal(principal, parseRequirements(extensions)), headerNames);
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

/** The request that Envoy asks about. */
interface CheckedRequest {
  readonly credentials: PresentedCredentials;
  /** The names of its headers, as received. */
  readonly headerNames: readonly string[];
  /** The client address that Envoy sends; undefined if it sends none. */
  readonly clientAddress: string | undefined;
  /** Without the query. */
  readonly path: string;
  /** The requirements of Envoy's configuration, as written there. */
  readonly extensions: Readonly<Record<string, string>>;
}

type Header = readonly [name: string, value: string];

function parseCheckRequest({ attributes }: CheckRequest): CheckedRequest {
  const http = attributes?.request?.http;
  const headers = headersOf(http);
  const valuesOf = (requestedName: string) =>
    headers.flatMap(([name, value]) => (name.toLowerCase() === requestedName ? [value] : []));
  return {
    credentials: { authorization: valuesOf('authorization'), apiKey: valuesOf('x-api-key') },
    headerNames: headers.map(([name]) => name),
    clientAddress: attributes?.source?.address?.address?.value.address,
    path: requestPath(http?.path ?? ''),
    extensions: attributes?.contextExtensions ?? {},
  };
}

/** Reads `headers`, in which values of one name are joined by commas, or `header_map`, in which each is separate. */
function headersOf(http: AttributeContext_HttpRequest | undefined): readonly Header[] {
  const raw = http?.headerMap?.headers ?? [];
  return [
    ...Object.entries(http?.headers ?? {}),
    ...raw.map(({ key, value, rawValue }): Header => [key, rawValue.length > 0 ? rawValue.toString() : value]),
  ];
}

/** Throws VALIDATION_ERROR if a value is malformed. */
function parseRequirements(extensions: Readonly<Record<string, string>>) {
  const { permission, 'max-age': maxAge, amr } = extensions;
  if (maxAge !== undefined && !/^[1-9]\d{0,7}$/.test(maxAge)) {
    const violation = { message: 'must be a number of seconds', format: 'pattern', props: ['max-age'] };
    throw new ServiceError('VALIDATION_ERROR', { violations: [violation] });
  }
  return {
    permission: parsePermissions(permission),
    maxAge: maxAge === undefined ? undefined : Number(maxAge),
    amr,
  };
}

/**
 * Parses names separated by commas. An empty name counts too, so that a mistake in the configuration refuses requests.
 */
function parsePermissions(extension: string | undefined): string[] {
  return extension === undefined ? [] : extension.split(',').map((name) => name.trim());
}
