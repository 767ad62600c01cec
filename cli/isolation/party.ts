// An administrator of a tenant, and the deployment.
import type { CallOptions } from '../../src/platform/rpc/types.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { httpClient, type Http, type HttpOptions } from './http.ts';
import type { Connect } from './rpcs.ts';

/** The URLs of a deployment. */
export interface Target extends Omit<HttpOptions, 'headers'> {
  /** Prefix of the API's paths: `/api/v1`. */
  readonly apiRoot: string;
  /** Undefined if RPCs are not checked. */
  readonly connect: Connect | undefined;
}

/** An administrator with an access token. */
export interface Party {
  readonly target: Target;
  readonly tenantId: string;
  readonly accountId: string;
  readonly token: string;
  readonly http: Http;
  readonly as: CallOptions;
}

/** Gets the account of a token. Rejects with CommandFailure if the token is invalid or its account has no tenant. */
export async function partyOf(target: Target, token: string): Promise<Party> {
  // The same request id for all requests, because responses contain it.
  const requestId = 'isolation';
  const authorization = `Bearer ${token}`;
  const http = httpClient({ ...target, headers: { authorization, 'x-request-id': requestId } });
  const { status, outcome, body } = await http({ method: 'GET', path: `${target.apiRoot}/auth/me` });
  if (status !== 200) throw new CommandFailure(`the token is not accepted: ${outcome}`, EXIT.credential);
  const { id, username, tenantId } = body as { id: string; username: string; tenantId?: string };
  if (tenantId === undefined) throw new CommandFailure(`${username} has no tenant`, EXIT.usage);
  return { target, tenantId, accountId: id, token, http, as: { authorization: [authorization], requestId } };
}

/** Logs in with Profile A or B. Returns the access token. Rejects with CommandFailure if the login fails. */
export async function logIn({ url, apiRoot }: Target, username: string, password: string): Promise<string> {
  const response = await fetch(`${url}${apiRoot}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
  const body = (await response.json()) as Record<string, string | undefined>;
  const token = body['accessToken'] ?? body['access_token'];
  const code = body['errorCode'] ?? body['error'] ?? '';
  if (token === undefined)
    throw new CommandFailure(`${username} cannot log in: ${response.status} ${code}`, EXIT.credential);
  return token;
}

/** Ends the session of a token. */
export async function logOut({ http, target }: Party): Promise<void> {
  await http({ method: 'POST', path: `${target.apiRoot}/auth/logout` });
}
