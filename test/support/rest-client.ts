// A REST client with complete responses and explicit cookies.
import { PASSWORD } from './accounts.ts';
import { sendHttp, type Response } from './http-request.ts';

export interface SetCookie {
  readonly name: string;
  readonly value: string;
  /** Attributes by lower-case name. Flags have the value true. */
  readonly attributes: Readonly<Record<string, string | true>>;
}

export interface RestResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body parsed as JSON. Undefined if it is empty or not JSON. */
  readonly body: any; // Tests assert on bodies of any type.
  readonly cookies: readonly SetCookie[];
}

export interface Session {
  readonly accessToken: string;
  /** The refresh cookie in the format of a Cookie header: `NAME=value`. */
  readonly cookie: string;
  readonly response: RestResponse;
}

const PREFIX = '/api/v1/auth';

export function restClient(url: string, prefix = PREFIX) {
  const send = async (method: string, path: string, init: RequestInit = {}): Promise<RestResponse> =>
    responseOf(await sendHttp(url + path, { method, ...init }));
  const postJson = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    send('POST', path, {
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  return {
    send,
    postJson,
    login: (body: unknown, headers?: Record<string, string>) => postJson(`${prefix}/login`, body, headers),
    refresh: (cookie?: string, headers: Record<string, string> = {}) =>
      send('POST', `${prefix}/refresh`, { headers: { ...(cookie !== undefined && { cookie }), ...headers } }),
    me: (accessToken?: string) => send('GET', `${prefix}/me`, { headers: bearer(accessToken) }),
    logout: ({ accessToken, cookie }: { accessToken?: string; cookie?: string } = {}) =>
      send('POST', `${prefix}/logout`, {
        headers: { ...bearer(accessToken), ...(cookie !== undefined && { cookie }) },
      }),
    /** Logs in. Throws if the login fails. */
    async open(username: string, rememberMe = false): Promise<Session> {
      return sessionOf(await postJson(`${prefix}/login`, { username, password: PASSWORD, rememberMe }));
    },
  };
}

export type RestClient = ReturnType<typeof restClient>;

/** The access token and the cookie of a successful login or refresh. */
export function sessionOf(response: RestResponse): Session {
  const [cookie] = response.cookies;
  if (response.status !== 200 || !cookie) throw new Error(`no session: ${response.status} ${response.text}`);
  return { accessToken: response.body.accessToken, cookie: `${cookie.name}=${cookie.value}`, response };
}

export function bearer(accessToken: string | undefined): Record<string, string> {
  return accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` };
}

function responseOf({ status, headers, text }: Response): RestResponse {
  return { status, headers, text, body: parsed(text), cookies: headers.getSetCookie().map(setCookieOf) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function setCookieOf(header: string): SetCookie {
  const [pair = '', ...attributes] = header.split(/; */);
  const [name = '', ...value] = pair.split('=');
  return {
    name,
    value: value.join('='),
    attributes: Object.fromEntries(
      attributes.map((attribute) => {
        const [key = '', ...rest] = attribute.split('=');
        return [key.toLowerCase(), rest.length > 0 ? rest.join('=') : true];
      }),
    ),
  };
}
