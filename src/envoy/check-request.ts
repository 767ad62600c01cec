import type { AttributeContext_HttpRequest } from '../../proto/gen/envoy/service/auth/v3/attribute_context.ts';
import type { CheckRequest } from '../../proto/gen/envoy/service/auth/v3/external_auth.ts';
import type { PresentedCredentials } from '../identity/authentication/authenticate-credentials.ts';
import { requestPath } from '../problem/request-path.ts';

/** The request that Envoy asks about. */
export interface CheckedRequest {
  readonly credentials: PresentedCredentials;
  /** The names of its headers, as received. */
  readonly headerNames: readonly string[];
  /** The address of the client, as Envoy tells it; undefined if it has none. */
  readonly clientAddress: string | undefined;
  /** Without the query. */
  readonly path: string;
  /** The permissions that Envoy's configuration demands of it, as they are written there. */
  readonly permissions: readonly string[];
}

type Header = readonly [name: string, value: string];

export function parseCheckRequest({ attributes }: CheckRequest): CheckedRequest {
  const http = attributes?.request?.http;
  const headers = headersOf(http);
  const valuesOf = (wanted: string) =>
    headers.flatMap(([name, value]) => (name.toLowerCase() === wanted ? [value] : []));
  return {
    credentials: { authorization: valuesOf('authorization'), apiKey: valuesOf('x-api-key') },
    headerNames: headers.map(([name]) => name),
    clientAddress: attributes?.source?.address?.address?.value.address,
    path: requestPath(http?.path ?? ''),
    permissions: parsePermissions(attributes?.contextExtensions['permission']),
  };
}

/** From `headers`, where values of one name are joined by commas, or from `header_map`, where each stands alone. */
function headersOf(http: AttributeContext_HttpRequest | undefined): readonly Header[] {
  const raw = http?.headerMap?.headers ?? [];
  return [
    ...Object.entries(http?.headers ?? {}),
    ...raw.map(({ key, value, rawValue }): Header => [key, rawValue.length > 0 ? rawValue.toString() : value]),
  ];
}

/** Names between commas. An empty name counts too, so that a slip in the configuration refuses requests. */
function parsePermissions(extension: string | undefined): string[] {
  return extension === undefined ? [] : extension.split(',').map((name) => name.trim());
}
