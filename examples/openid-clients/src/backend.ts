// A program without a user, by openid-client.
// snippet:start backend
import * as openid from 'openid-client';

/** Gets an access token of a service account. It expires after `expires_in` seconds. */
export async function getToken(issuer: string, clientId: string, secret: string) {
  const execute = issuer.startsWith('http:') ? [openid.allowInsecureRequests] : [];
  const provider = await openid.discovery(new URL(issuer), clientId, secret, undefined, { execute });
  return openid.clientCredentialsGrant(provider);
}
// snippet:end
