import type { AttributeContext_HttpRequest } from '../../../proto/gen/envoy/service/auth/v3/attribute_context.ts';
import type { CheckRequest } from '../../../proto/gen/envoy/service/auth/v3/external_auth.ts';
import type { PresentedCredentials } from '../identity/authentication/authenticate-credentials.ts';
import { requestPath } from '../../platform/problem/request-path.ts';

/** The request that Envoy asks about. */
export interface CheckedRequest {
  readonly credentials: PresentedCredentials;
  /** The names of its headers, as received. */
  readonly headerNames: readonly string[];
  /** The client address that Envoy sends; undefined if it sends none. */
  readonly clientAddress: string | undefined;
  /** Without the query. */
  readonly path: string;
  /** The permissions that Envoy's configuration requires, as written there. */
  readonly permissions: readonly string[];
}

type Header = readonly [name: string, value: string];

export function parseCheckRequest({ attributes }: CheckRequest): CheckedRequest {
  const http = attributes?.request?.http;
  const headers = headersOf(http);
  const valuesOf = (requestedName: string) =>
    headers.flatMap(([name, value]) => (name.toLowerCase() === requestedName ? [value] : []));
  return {
    credentials: { authorization: valuesOf('authorization'), apiKey: valuesOf('x-api-key') },
    headerNames: headers.map(([name]) => name),
    clientAddress: attributes?.source?.address?.address?.value.address,
    path: requestPath(http?.path ?? ''),
    permissions: parsePermissions(attributes?.contextExtensions['permission']),
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

/**
 * Parses names separated by commas. An empty name counts too, so that a mistake in the configuration refuses requests.
 */
function parsePermissions(extension: string | undefined): string[] {
  return extension === undefined ? [] : extension.split(',').map((name) => name.trim());
}
