// An application in a browser, by oidc-client-ts.
// snippet:start spa
import { UserManager } from 'oidc-client-ts';

/** Refreshes its tokens by itself. */
export const createUsers = (issuer, clientId) =>
  new UserManager({
    authority: issuer,
    client_id: clientId,
    redirect_uri: `${location.origin}/callback`,
    scope: 'openid profile email',
  });

/** Returns the user. Without one, leads the browser to the login. */
export async function signIn(users) {
  if (location.pathname === '/callback') {
    await users.signinCallback();
    history.replaceState({}, '', '/');
  }
  const user = await users.getUser();
  if (user && !user.expired) return user;
  await users.signinRedirect();
}
// snippet:end
