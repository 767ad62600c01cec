// Code that connects an application of each type, with its values.
import type { Application } from '../../../../client/src/operations.ts';

interface Snippet {
  readonly library: string;
  readonly text: string;
}

type Connected = Pick<Application, 'type' | 'clientId' | 'redirectUris' | 'scopes' | 'jwks'>;

/** Returns an example for an application. */
export function snippetOf({ type, clientId, redirectUris, scopes, jwks }: Connected, issuer: string): Snippet {
  const values = {
    issuer: JSON.stringify(issuer),
    clientId: JSON.stringify(clientId),
    redirectUri: JSON.stringify(redirectUris[0] ?? 'https://…'),
    scope: JSON.stringify(scopes.filter((scope) => ['openid', 'profile', 'email'].includes(scope)).join(' ')),
  };
  return { WEB: () => web(values, jwks !== undefined), SPA: () => spa(values), NATIVE: () => native(values) }[type]();
}

/** Literals of JavaScript and Kotlin. */
type Values = Readonly<Record<'issuer' | 'clientId' | 'redirectUri' | 'scope', string>>;

function web({ issuer, clientId, redirectUri, scope }: Values, hasKeys: boolean): Snippet {
  const authentication = hasKeys
    ? 'client.PrivateKeyJwt(privateKey)'
    : 'client.ClientSecretBasic(process.env.CLIENT_SECRET)';
  const text = `import * as client from "openid-client";

const config = await client.discovery(
  new URL(${issuer}),
  ${clientId},
  undefined,
  ${authentication},${issuer.startsWith('"http:') ? '\n  { execute: [client.allowInsecureRequests] },' : ''}
);
// Keep the verifier in the user's session until the callback.
const verifier = client.randomPKCECodeVerifier();
const loginUrl = client.buildAuthorizationUrl(config, {
  redirect_uri: ${redirectUri},
  scope: ${scope},
  code_challenge: await client.calculatePKCECodeChallenge(verifier),
  code_challenge_method: "S256",
});
// In the callback:
const tokens = await client.authorizationCodeGrant(config, callbackUrl, { pkceCodeVerifier: verifier });
console.log(tokens.claims());`;
  return { library: 'openid-client', text };
}

function spa({ issuer, clientId, redirectUri, scope }: Values): Snippet {
  const text = `import { UserManager } from "oidc-client-ts";

const users = new UserManager({
  authority: ${issuer},
  client_id: ${clientId},
  redirect_uri: ${redirectUri},
  scope: ${scope},
});
await users.signinRedirect();
// At the redirect URI:
const user = await users.signinCallback();`;
  return { library: 'oidc-client-ts', text };
}

function native({ issuer, clientId, redirectUri, scope }: Values): Snippet {
  const text = `AuthorizationServiceConfiguration.fetchFromIssuer(Uri.parse(${issuer})) { configuration, error ->
  val request = AuthorizationRequest.Builder(
    configuration ?: throw error!!,
    ${clientId},
    ResponseTypeValues.CODE,
    Uri.parse(${redirectUri}),
  ).setScope(${scope}).build()
  login.launch(AuthorizationService(this).getAuthorizationRequestIntent(request))
}`;
  return { library: 'AppAuth (Android)', text };
}
