// OpenID providers under load. All have a confidential client, which authenticates by HTTP Basic and uses PKCE.
import { createHash } from 'node:crypto';
import type { Program } from '../program.ts';

export const CALLBACK = 'https://app.example.com/callback';
/** The same for each request: a server cannot know that. */
export const CODE_VERIFIER = 'a-code-verifier-of-the-benchmark-with-43-chars';
const CODE_CHALLENGE = createHash('sha256').update(CODE_VERIFIER).digest('base64url');

/** A running provider. */
export interface OpenIdProvider {
  readonly name: string;
  readonly program: Program;
  readonly client: { readonly id: string; readonly secret: string };
  readonly paths: { readonly authorize: string; readonly token: string; readonly userinfo: string };
  /** Returns Cookie headers of browsers with a live session, each of its own user, who has consented. */
  openBrowsers(): Promise<readonly string[]>;
}

/** Returns the path and the query of an authorization request. */
export function authorizationPath({ client, paths }: Pick<OpenIdProvider, 'client' | 'paths'>): string {
  const query = new URLSearchParams({
    client_id: client.id,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid profile email',
    state: 'af0ifjsldkj',
    nonce: 'n-0S6_WzA2Mj',
    code_challenge: CODE_CHALLENGE,
    code_challenge_method: 'S256',
  });
  return `${paths.authorize}?${query.toString()}`;
}

export function basicAuthorization({ client: { id, secret } }: Pick<OpenIdProvider, 'client'>): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}

export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** Gets tokens as an application does. Throws if one is missing, because a provider that does less would not be comparable. */
export async function requestTokens(provider: OpenIdProvider, cookie: string): Promise<Tokens> {
  const { url } = provider.program;
  const redirect = await fetch(url + authorizationPath(provider), { headers: { cookie }, redirect: 'manual' });
  const location = redirect.headers.get('location') ?? '';
  const code = location.startsWith(CALLBACK) ? new URL(location).searchParams.get('code') : null;
  if (code === null)
    throw new Error(`${provider.name} answers ${redirect.status} ${location}: ${await redirect.text()}`);
  const response = await fetch(url + provider.paths.token, {
    method: 'POST',
    headers: { authorization: basicAuthorization(provider) },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      code_verifier: CODE_VERIFIER,
    }),
  });
  const body = (await response.json()) as Readonly<Record<string, string>>;
  const { access_token: accessToken, refresh_token: refreshToken, id_token: idToken } = body;
  if (!accessToken || !refreshToken || !isRs256(idToken))
    throw new Error(`${provider.name} answers ${response.status}: ${JSON.stringify(body)}`);
  return { accessToken, refreshToken };
}

function isRs256(idToken = ''): boolean {
  return Buffer.from(idToken.split('.')[0]!, 'base64url').toString().includes('"RS256"');
}
