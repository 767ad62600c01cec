// Somebody with a session who calls the business endpoints.
import type { Account } from '../../src/principal/account.ts';
import { seedAccount, type Seed } from './accounts.ts';
import type { Deployment } from './deployment.ts';
import { bearer, restClient, type Answer } from './rest-client.ts';
import { seedSession } from './sessions.ts';

export const API = '/api/v1';

type Headers = Record<string, string>;

export interface Caller {
  readonly account: Account;
  /** What identifies the caller. */
  readonly headers: Headers;
  /** Paths are relative to `/api/v1`. */
  get(path: string, headers?: Headers): Promise<Answer>;
  /** A string goes as it is, anything else as JSON. */
  post(path: string, body?: unknown, headers?: Headers): Promise<Answer>;
  put(path: string, body?: unknown, headers?: Headers): Promise<Answer>;
  patch(path: string, body?: unknown, headers?: Headers): Promise<Answer>;
  delete(path: string, headers?: Headers): Promise<Answer>;
  /** Sends a body as it is. */
  send(method: string, path: string, body: RequestInit['body'], headers?: Headers): Promise<Answer>;
  /** The bytes that a GET brings. */
  bytes(path: string, headers?: Headers): Promise<Buffer>;
}

/** A caller of a tenant, by default a MANAGER of `acme`. */
export async function caller(deployment: Deployment, seed: Seed = {}): Promise<Caller> {
  const account = await seedAccount(deployment.database, seed);
  const { accessToken } = await seedSession(deployment, account);
  return callerWith(deployment.url, account, bearer(accessToken));
}

/** A caller with credentials of the test's choice. */
export function callerWith(url: string, account: Account, own: Headers): Caller {
  const { send } = restClient(url);
  const withBody =
    (method: string) =>
    (path: string, body?: unknown, headers: Headers = {}): Promise<Answer> =>
      send(method, API + path, {
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...own, ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
  const without =
    (method: string) =>
    (path: string, headers: Headers = {}): Promise<Answer> =>
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
      const answer = await fetch(url + API + path, { headers: { ...own, ...headers } });
      return Buffer.from(await answer.arrayBuffer());
    },
  };
}

/** A problem document without what names its request, to be compared byte by byte. */
export function comparable({ status, text, headers }: Answer): unknown {
  const { instance: _instance, ...body } = JSON.parse(text) as Record<string, unknown>;
  const named = [...headers].filter(([name]) => !['date', 'x-request-id', 'content-length'].includes(name));
  return { status, body: JSON.stringify(body), headers: named };
}

/** The fields that a problem document finds fault with, each once. */
export function faults({ body }: Answer): string[] {
  const violations: { props?: string[] }[] = body.violations ?? [];
  return [...new Set(violations.map(({ props = [] }) => props.join('.')))].toSorted();
}

export const etagOf = ({ headers }: Answer): string | null => headers.get('etag');
