// Modules of a page on a server that renders it: no location, no local storage, and often no address of the service.
import { describe, expect, it } from 'vitest';
import {
  createAnonymousCaller,
  createCookieSession,
  createTokenSession,
  localStorageStore,
  type Session,
} from '../../src/index.ts';
import { fakeFetch, json } from './helpers.ts';

const SESSIONS: readonly [string, (options: { baseUrl?: string }) => Session][] = [
  ['a cookie session', createCookieSession],
  ['a token session in local storage', (options) => createTokenSession({ ...options, store: localStorageStore() })],
];

describe.each(SESSIONS)('%s on a server', (_name, create) => {
  it.each([{}, { baseUrl: '/shop' }])('is created without the address of the service: %j', (options) => {
    const session = create(options);
    expect(session.getServerSnapshot()).toEqual({ status: 'unknown' });
    expect(session.getServerSnapshot()).toBe(session.getSnapshot());
    session.close();
  });

  it('rejects calls with what is missing, and starts no timers', async () => {
    const session = create({});
    const message = 'An absolute baseUrl is needed outside a web page';
    for (const call of [
      session.restore(),
      session.refresh(),
      session.accessToken(),
      session.logout(),
      session.fetch('/api/v1/products'),
      session.login({ username: 'a', password: 'b' }),
    ])
      await expect(call).rejects.toThrow(new TypeError(message));
    expect(session.getSnapshot()).toEqual({ status: 'unknown' });
    expect(process.getActiveResourcesInfo().filter((name) => name === 'BroadcastChannel')).toEqual([]);
  });
});

it('the server snapshot stays the same after the state of the page has changed', async () => {
  const { fetch } = fakeFetch(() => json({ errorCode: 'refresh-session-invalid' }, 401));
  const session = createCookieSession({ baseUrl: 'https://service.test', fetch });
  const before = session.getServerSnapshot();
  await session.restore();
  expect(session.getSnapshot().status).toBe('signed-out');
  expect(session.getServerSnapshot()).toBe(before);
});

it('a caller without an address rejects its calls', async () => {
  await expect(createAnonymousCaller().fetch('/api/v1/products')).rejects.toThrow('An absolute baseUrl is needed');
});
