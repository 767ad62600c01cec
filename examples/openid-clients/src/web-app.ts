// A web application on a server, by openid-client.
// snippet:start web
import * as openid from 'openid-client';

/** What the callback needs. Keep it in the session of the browser. */
export interface Login {
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
}

/** Reads the metadata of the provider, once, at the start. */
export function connect(issuer: string, clientId: string, authentication: openid.ClientAuth) {
  // Plain HTTP is for a provider on this machine only.
  const execute = issuer.startsWith('http:') ? [openid.allowInsecureRequests] : [];
  return openid.discovery(new URL(issuer), clientId, undefined, authentication, { execute });
}

/** Returns where to redirect the browser. With a `resource`, the access token is for that API. */
export async function startLogin(provider: openid.Configuration, redirectUri: string, resource?: string) {
  const login: Login = {
    verifier: openid.randomPKCECodeVerifier(),
    state: openid.randomState(),
    nonce: openid.randomNonce(),
  };
  const url = openid.buildAuthorizationUrl(provider, {
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    ...(resource && { resource }),
    state: login.state,
    nonce: login.nonce,
    code_challenge: await openid.calculatePKCECodeChallenge(login.verifier),
    code_challenge_method: 'S256',
  });
  return { url, login };
}

/** Returns the tokens of a callback. `claims()` of them are about the user. */
export function finishLogin(provider: openid.Configuration, callback: URL, { verifier, state, nonce }: Login) {
  return openid.authorizationCodeGrant(provider, callback, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
  });
}
// snippet:end
