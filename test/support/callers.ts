// Users with a session that call the business endpoints.
import type { Account } from '../../src/auth/access/account.ts';
import { seedAccount, type Seed } from './accounts.ts';
import type { Deployment } from './deployment.ts';
import { bearer, restClient, type RestResponse } from './rest-client.ts';
import { seedSession } from './sessions.ts';

export const API = '/api/v1';

type Headers = Record<string, string>;

export interface Caller {
  readonly account: Account;
  /** Headers that identify the caller. */
  readonly headers: Headers;
  /** Paths are relative to `/api/v1`. */
  get(path: string, headers?: Headers): Promise<RestResponse>;
  /** Body. A string is sent unchanged, other values as JSON. */
  post(path: string, body?: unknown, headers?: Headers): Promise<RestResponse>;
  put(path: string, body?: unknown, headers?: Headers): Promise<RestResponse>;
  patch(path: string, body?: unknown, headers?: Headers): Promise<RestResponse>;
  delete(path: string, headers?: Headers): Promise<RestResponse>;
  /** Sends a body unchanged. */
  send(method: string, path: string, body: RequestInit['body'], headers?: Headers): Promise<RestResponse>;
  /** Returns the bytes of a GET response. */
  bytes(path: string, headers?: Headers): Promise<Buffer>;
}

/** Creates a caller in a tenant. Default: a MANAGER of `acme`. */
export async function caller(deployment: Deployment, seed: Seed = {}): Promise<Caller> {
  const account = await seedAccount(deployment.database, seed);
  const { accessToken } = await seedSession(deployment, account);
  return callerWith(deployment.url, account, bearer(accessToken));
}

/** Creates a caller with the given credentials. */
export function callerWith(url: string, account: Account, own: Headers): Caller {
  const { send } = restClient(url);
  const withBody =
    (method: string) =>
    (path: string, body?: unknown, headers: Headers = {}): Promise<RestResponse> =>
      send(method, API + path, {
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...own, ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
  const without =
    (method: string) =>
    (path: string, headers: Headers = {}): Promise<RestResponse> =>
      send(method, API + path, { headers: { ...own, ...headers } });
  return {
    account,
    headers: own,
    get: without('GET'),
    post: withBody('POST'),
    put: withBody('PUT'),
    patch: withBody('PATCH'),
    delete: without('DELETE'),
    send: (method, path, body, headers = {}) =>
      send(method, API + path, { headers: { ...own, ...headers }, body: body ?? null }),
    async bytes(path, headers = {}) {
      const response = await fetch(url + API + path, { headers: { ...own, ...headers } });
      return Buffer.from(await response.arrayBuffer());
    },
  };
}

/** Returns a problem document without the members that identify the request, to be compared byte by byte. */
export function comparable({ status, text, headers }: RestResponse): unknown {
  const { instance: _instance, ...body } = JSON.parse(text) as Record<string, unknown>;
  const named = [...headers].filter(([name]) => !['date', 'x-request-id', 'content-length'].includes(name));
  return { status, body: JSON.stringify(body), headers: named };
}

/** Returns the fields with violations in a problem document, each once. */
export function faults({ body }: RestResponse): string[] {
  const violations: { props?: string[] }[] = body.violations ?? [];
  return [...new Set(violations.map(({ props = [] }) => props.join('.')))].toSorted();
}

export const etagOf = ({ headers }: RestResponse): string | null => headers.get('etag');
