// A minimal relying party (OpenID Connect Core section 3.1, PKCE): what an application does to log in a user.

export interface RelyingParty {
  /** The only address that it needs: the metadata has the others. */
  readonly issuer: string;
  readonly clientId: string;
  readonly redirectUri: string;
}

/** What is kept while the browser is away. */
export interface PendingLogin {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

type Claims = Readonly<Record<string, unknown>>;

export interface Login {
  /** The claims of the ID token. */
  readonly idToken: Claims;
  readonly userinfo: Claims;
}

/** Returns where the browser goes to log in its user. */
export async function beginLogin(
  party: RelyingParty,
): Promise<{ readonly url: string; readonly pending: PendingLogin }> {
  const { authorization_endpoint: endpoint } = await metadataOf(party);
  const pending = { state: randomText(), nonce: randomText(), verifier: randomText() };
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(pending.verifier));
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id: party.clientId,
    redirect_uri: party.redirectUri,
    scope: 'openid profile email groups tenant',
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: toBase64Url(new Uint8Array(hash)),
    code_challenge_method: 'S256',
  });
  return { url: `${endpoint}?${parameters}`, pending };
}

/** Exchanges the code that the browser has come back with. Throws if the response is not that of the pending login. */
export async function finishLogin(
  party: RelyingParty,
  callback: URLSearchParams,
  { state, nonce, verifier }: PendingLogin,
): Promise<Login> {
  const metadata = await metadataOf(party);
  if (callback.get('state') !== state || callback.get('iss') !== metadata.issuer)
    throw new Error('This response belongs to no login of this page.');
  const code = callback.get('code');
  if (code === null) throw new Error(`The login has ended with ${callback.get('error')}.`);
  const tokens = await readJson(
    await fetch(metadata.token_endpoint, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: party.clientId,
        redirect_uri: party.redirectUri,
        code,
        code_verifier: verifier,
      }),
    }),
  );
  // From the token endpoint itself, so its signature need not be checked (section 3.1.3.7).
  const idToken = claimsOf(String(tokens['id_token']));
  if (idToken['iss'] !== metadata.issuer || idToken['aud'] !== party.clientId || idToken['nonce'] !== nonce)
    throw new Error('The ID token is not for this login.');
  const headers = { authorization: `Bearer ${String(tokens['access_token'])}` };
  return { idToken, userinfo: await readJson(await fetch(metadata.userinfo_endpoint, { headers })) };
}

interface Metadata {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly userinfo_endpoint: string;
}

async function metadataOf({ issuer }: RelyingParty): Promise<Metadata> {
  return (await readJson(await fetch(`${issuer}/.well-known/openid-configuration`))) as unknown as Metadata;
}

async function readJson(response: Response): Promise<Claims> {
  const body = (await response.json()) as Claims;
  if (!response.ok) throw new Error(`The service has answered ${response.status}: ${JSON.stringify(body)}`);
  return body;
}

function claimsOf(token: string): Claims {
  const text = atob(token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes)) as Claims;
}

const randomText = (): string => toBase64Url(crypto.getRandomValues(new Uint8Array(32)));

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
