// An administrator of a tenant, and how it is reached.
import type { CallOptions } from '../../src/rpc/types.ts';
import { httpClient, type Http, type HttpOptions } from './http.ts';
import type { Connect } from './rpcs.ts';

/** Where a deployment is reached. */
export interface Target extends Omit<HttpOptions, 'headers'> {
  /** What the API's paths begin with: `/api/v1`. */
  readonly apiRoot: string;
  /** Undefined where no core is reached directly. */
  readonly connect: Connect | undefined;
}

/** Somebody with a token. */
export interface Party {
  readonly target: Target;
  readonly tenantId: string;
  readonly accountId: string;
  readonly http: Http;
  readonly as: CallOptions;
}

/** What went wrong is not the deployment's isolation: it could not be asked at all. */
export class CannotAskError extends Error {
  override readonly name = 'CannotAskError';
}

/** Finds out whose token it is. Rejects with CannotAskError where it is not an account of a tenant. */
export async function partyOf(target: Target, token: string): Promise<Party> {
  // The same id for all requests, for it comes back with the answers.
  const requestId = 'isolation';
  const authorization = `Bearer ${token}`;
  const http = httpClient({ ...target, headers: { authorization, 'x-request-id': requestId } });
  const { status, outcome, body } = await http({ method: 'GET', path: `${target.apiRoot}/auth/me` });
  if (status !== 200) throw new CannotAskError(`the token is not accepted: ${outcome}`);
  const { id, username, tenantId } = body as { id: string; username: string; tenantId?: string };
  if (tenantId === undefined) throw new CannotAskError(`${username} belongs to no tenant`);
  return { target, tenantId, accountId: id, http, as: { authorization: [authorization], requestId } };
}

/** Logs in, under Profile A or B; returns the access token. Rejects with CannotAskError where that is refused. */
export async function logIn({ url, apiRoot }: Target, username: string, password: string): Promise<string> {
  const response = await fetch(`${url}${apiRoot}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  const body = (await response.json()) as Record<string, string | undefined>;
  const token = body['accessToken'] ?? body['access_token'];
  const code = body['errorCode'] ?? body['error'] ?? '';
  if (token === undefined) throw new CannotAskError(`${username} cannot log in: ${response.status} ${code}`);
  return token;
}

/** Ends the session of a token. */
export async function logOut({ http, target }: Party): Promise<void> {
  await http({ method: 'POST', path: `${target.apiRoot}/auth/logout` });
}
