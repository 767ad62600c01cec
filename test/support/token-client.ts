// A client of Profile B, with all tokens in bodies.
import { PASSWORD } from './accounts.ts';
import { bearer, restClient, type RestResponse } from './rest-client.ts';

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly response: RestResponse;
}

export function tokenClient(url: string, prefix = '/api/v1/auth') {
  const { send, postJson } = restClient(url);
  const login = (body: unknown, headers?: Record<string, string>) => postJson(`${prefix}/login`, body, headers);
  return {
    send,
    postJson,
    login,
    refresh: (refreshToken: unknown, headers?: Record<string, string>) =>
      postJson(`${prefix}/refresh`, { refresh_token: refreshToken }, headers),
    me: (accessToken?: string) => send('GET', `${prefix}/me`, { headers: bearer(accessToken) }),
    logout: (accessToken?: string) => send('POST', `${prefix}/logout`, { headers: bearer(accessToken) }),
    /** Logs in. Throws if the login fails. */
    open: async (username: string): Promise<Tokens> => tokensOf(await login({ username, password: PASSWORD })),
  };
}

export type TokenClient = ReturnType<typeof tokenClient>;

/** The tokens of a successful login or refresh. */
export function tokensOf(response: RestResponse): Tokens {
  const { access_token: accessToken, refresh_token: refreshToken } = response.body ?? {};
  if (response.status !== 200 || !accessToken || !refreshToken)
    throw new Error(`no tokens: ${response.status} ${response.text}`);
  return { accessToken, refreshToken, response };
}
