// The page of the demo app: a button, and the claims of the user who has logged in.
import { readConfig } from './config.ts';
import { create, element, onClick } from './elements.ts';
import { beginLogin, finishLogin, type PendingLogin } from './relying-party.ts';

const PENDING = 'demo-app';

const { issuer = location.origin } = await readConfig();
const { origin } = new URL(issuer);
// The redirect URI is that of the public URL.
if (origin !== location.origin) location.replace(origin + location.pathname);
const party = { issuer, clientId: 'demo-app', redirectUri: origin + location.pathname };

onClick('login', async () => {
  const { url, pending } = await beginLogin(party);
  sessionStorage.setItem(PENDING, JSON.stringify(pending));
  location.assign(url);
});

const pending = sessionStorage.getItem(PENDING);
const callback = new URLSearchParams(location.search);
if (pending !== null && callback.has('state')) {
  sessionStorage.removeItem(PENDING);
  // A code works once: a reload begins again.
  history.replaceState(undefined, '', location.pathname);
  try {
    const login = await finishLogin(party, callback, JSON.parse(pending) as PendingLogin);
    showClaims('id-token', login.idToken);
    showClaims('userinfo', login.userinfo);
    element('result').hidden = false;
    element('status').textContent = `Logged in: ${String(login.userinfo['name'])}`;
  } catch (error) {
    element('status').textContent = (error as Error).message;
  }
}

function showClaims(id: string, claims: Readonly<Record<string, unknown>>): void {
  element(id).replaceChildren(
    ...Object.entries(claims).flatMap(([name, value]) => [
      create('dt', name),
      create('dd', typeof value === 'string' ? value : JSON.stringify(value), 'code'),
    ]),
  );
}
