// All ends of a session that callers or time can bring about.
import { PASSWORD } from '../accounts.ts';
import { API } from '../callers.ts';
import type { Browser } from './provider.ts';
import { callerOf, ISSUER, signedIn, type Service, type ServiceUser } from './service.ts';

export const HOUR_MS = 3_600_000;
/** Settings of a service whose sessions have a lifetime. */
export const SESSION_SETTINGS = { 'app.security.refresh-session.absolute-lifetime': '36h' } as const;
const NEW_PASSWORD = 'A long enough password';

/** A session in a browser. */
export interface Stage {
  readonly user: ServiceUser;
  readonly browser: Browser;
  readonly sid: string;
  /** Of an application of the session. */
  readonly idToken: string;
}

/** Ends the session. Returns the last response. */
export type End = (service: Service, stage: Stage) => Promise<{ readonly status: number }>;

const adminOf = (service: Service, { user }: Stage) => service.admin(user.account.tenantId);
const refreshHeaders = (browser: Browser) => ({
  cookie: `MY_SHOP_REFRESH=${browser.cookies.get('MY_SHOP_REFRESH')!.value}`,
});

export const SESSION_ENDS: Readonly<Record<string, End>> = {
  'a logout': (service, { browser }) => callerOf(service, browser).post('/auth/logout'),
  'a logout by an application': (service, { browser, idToken }) =>
    browser.send('GET', `${service.metadata['end_session_endpoint']}?id_token_hint=${idToken}`),
  'the end of the session by an administrator': async (service, stage) =>
    (await adminOf(service, stage)).delete(`/users/${stage.user.sub}/sessions/${stage.sid}`),
  'the end of all sessions': async (service, stage) =>
    (await adminOf(service, stage)).delete(`/users/${stage.user.sub}/sessions`),
  'the end of the session by its owner elsewhere': async (service, { user, sid }) =>
    callerOf(service, await signedIn(service, user)).delete(`/account/sessions/${sid}`),
  'the end of all other sessions by their owner': async (service, { user }) =>
    callerOf(service, await signedIn(service, user)).delete('/account/sessions'),
  "a change of the owner's password": (service, { browser }) =>
    callerOf(service, browser).put('/account/password', { currentPassword: PASSWORD, newPassword: NEW_PASSWORD }),
  'a change of the password by an administrator': async (service, stage) =>
    (await adminOf(service, stage)).put(`/users/${stage.user.sub}/password`, { password: NEW_PASSWORD }),
  'changed roles': async (service, stage) =>
    (await adminOf(service, stage)).put(`/users/${stage.user.sub}/roles`, { roles: ['SALES'] }),
  'a disabled account': async (service, stage) =>
    (await adminOf(service, stage)).post(`/users/${stage.user.sub}/disable`),
  'a deleted account': async (service, stage) => (await adminOf(service, stage)).delete(`/users/${stage.user.sub}`),
  'a login that replaces the session': (_service, { user, browser }) =>
    browser.send('POST', `${ISSUER}${API}/auth/login`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: user.username, password: PASSWORD }),
    }),
  'a replay of its refresh token': async (service, { browser }) => {
    const headers = refreshHeaders(browser);
    await service.send('POST', `${ISSUER}${API}/auth/refresh`, { headers });
    await service.send('POST', `${ISSUER}${API}/auth/refresh`, { headers });
    return { status: 200 };
  },
  'the idle time': async (service) => {
    service.advance(24 * HOUR_MS);
    return { status: 200 };
  },
  'the lifetime': async (service, { browser }) => {
    service.advance(20 * HOUR_MS);
    const refreshed = await browser.send('POST', `${ISSUER}${API}/auth/refresh`);
    service.advance(16 * HOUR_MS);
    return refreshed;
  },
};
