// Sessions over a made-up service, in one process.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createCookieSession, createTokenSession, memoryStore, type Session } from '../../src/index.ts';
import { accessToken, fakeFetch, json, pass, turnsUntil, type Sent } from './helpers.ts';

afterEach(() => void vi.useRealTimers());

const NOW = Date.UTC(2026, 0, 1);
const TIMERS = ['Date', 'setTimeout', 'clearTimeout'] as const;
const CREDENTIALS = { username: 'a', password: 'b' };
type Respond = (sent: Sent) => Response | Promise<Response>;

/** A session that is logged in, with the responses of some paths. */
async function signedIn(responses: Record<string, Respond>, lifetime = 900) {
  const { fetch, sent } = fakeFetch((call) => {
    const name = call.path.replace('/api/v1/', '').split('?')[0]!;
    if (responses[name]) return responses[name](call);
    if (name === 'auth/login') return json({ accessToken: accessToken(), expiresIn: lifetime, user: {} });
    if (name === 'auth/refresh') return json({ accessToken: accessToken(), expiresIn: 900 });
    return new Response(null, { status: name === 'auth/logout' ? 200 : 404 });
  });
  const session = createCookieSession({ baseUrl: 'https://service.test', fetch });
  await session.login(CREDENTIALS);
  const count = (path: string) => sent.filter((call) => call.path === `/api/v1/${path}`).length;
  return { session, sent, count };
}

const problem = (status: number, errorCode: string, headers?: Record<string, string>) =>
  json({ type: `urn:service:error:${errorCode}`, title: 'T', status, detail: 'D', errorCode }, status, headers);
const bearerOf = (sent: Sent) => sent.headers.get('authorization');

describe('a request with an access token', () => {
  it('that gets 401 is sent once more with a new token', async () => {
    let refused: string | null = null;
    const { session, sent, count } = await signedIn({
      products(call) {
        refused ??= bearerOf(call);
        return bearerOf(call) === refused ? problem(401, 'unauthorized') : json([]);
      },
    });
    expect((await session.fetch('/api/v1/products')).status).toBe(200);
    expect(count('auth/refresh')).toBe(1);
    expect(sent.filter(({ path }) => path === '/api/v1/products').map(bearerOf)).toHaveLength(2);
    session.close();
  });

  it('that gets 401 twice returns the second 401', async () => {
    const { session, count } = await signedIn({ products: () => problem(401, 'unauthorized') });
    expect((await session.fetch('/api/v1/products')).status).toBe(401);
    expect(count('products')).toBe(2);
    expect(session.getSnapshot().status).toBe('signed-in');
    session.close();
  });

  it.each(['bad-credentials', 'second-factor-invalid', 'second-factor-required', 'fresh-session-required'])(
    'that gets 401 %s is not sent twice, because its token is valid',
    async (code) => {
      const { session, count } = await signedIn({ 'account/confirm': () => problem(401, code) });
      const response = await session.fetch('/api/v1/account/confirm', { method: 'POST', body: '{}' });
      expect(((await response.json()) as { errorCode: string }).errorCode).toBe(code);
      expect([count('account/confirm'), count('auth/refresh')]).toEqual([1, 0]);
      session.close();
    },
  );

  it('that gets 401 without a code is sent once more with a new token', async () => {
    const { session, count } = await signedIn({ products: () => new Response('<h1>401</h1>', { status: 401 }) });
    expect((await session.fetch('/api/v1/products')).status).toBe(401);
    expect(count('products')).toBe(2);
    session.close();
  });

  it('with a stream as its body is not sent twice', async () => {
    const { session, count } = await signedIn({ products: () => problem(401, 'unauthorized') });
    const body = new Blob(['x']).stream();
    expect((await session.fetch('/api/v1/products', { method: 'POST', body })).status).toBe(401);
    expect(count('products')).toBe(1);
    session.close();
  });

  it.each([403, 404, 409, 500, 503])('that gets %i does not refresh', async (status) => {
    const { session, count } = await signedIn({ products: () => problem(status, 'x') });
    expect((await session.fetch('/api/v1/products')).status).toBe(status);
    expect(count('auth/refresh')).toBe(0);
    session.close();
  });

  it('with an expired token shares one refresh with 19 others', async () => {
    const { session, count } = await signedIn({ products: () => json([]) }, 0);
    await Promise.all(Array.from({ length: 20 }, () => session.fetch('/api/v1/products')));
    expect(count('auth/refresh')).toBe(1);
    session.close();
  });

  it('that is aborted while it waits for a refresh does not abort the refresh', async () => {
    const gate = Promise.withResolvers<void>();
    const refresh = () => gate.promise.then(() => json({ accessToken: accessToken(), expiresIn: 900 }));
    const { session, count } = await signedIn({ 'auth/refresh': refresh, products: () => json([]) }, 0);
    const abort = new AbortController();
    const aborted = session.fetch('/api/v1/products', { signal: abort.signal });
    const other = session.fetch('/api/v1/products');
    abort.abort(new Error('left'));
    await expect(aborted).rejects.toThrow('left');
    await turnsUntil(() => count('auth/refresh') > 0);
    gate.resolve();
    expect((await other).status).toBe(200);
    expect(count('auth/refresh')).toBe(1);
    session.close();
  });
});

describe('a refresh', () => {
  it('that gets 401 refresh-session-invalid ends the session', async () => {
    const { session } = await signedIn({ 'auth/refresh': () => problem(401, 'refresh-session-invalid') }, 0);
    await expect(session.fetch('/api/v1/products')).rejects.toMatchObject({ code: 'refresh-session-invalid' });
    expect(session.getSnapshot()).toEqual({ status: 'signed-out' });
    await expect(session.fetch('/api/v1/products')).rejects.toMatchObject({ code: 'session-ended' });
  });

  const OTHERS: readonly [string, Respond][] = [
    ['401 with another code', () => problem(401, 'unauthorized')],
    ['403', () => problem(403, 'refresh-session-invalid')],
    ['429', () => problem(429, 'too-many-requests')],
    ['500', () => problem(500, 'internal-error')],
    ['503', () => problem(503, 'authentication-service-unavailable')],
    ['502 with a page', () => new Response('<html>', { status: 502 })],
    ['200 with a page', () => new Response('<html>')],
    ['nothing', () => Promise.reject(new TypeError('Failed to fetch'))],
  ];

  it.each(OTHERS)('that gets %s keeps the session', async (_, response) => {
    const { session, count } = await signedIn({ 'auth/refresh': response }, 0);
    await expect(session.fetch('/api/v1/products')).rejects.toMatchObject({ name: 'ApiError' });
    expect(session.getSnapshot().status).toBe('signed-in');
    await expect(session.fetch('/api/v1/products')).rejects.toMatchObject({ name: 'ApiError' });
    // The second one does not ask again: it is too early.
    expect(count('auth/refresh')).toBe(1);
    session.close();
  });

  it('is not sent before Retry-After has passed', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: NOW });
    let respond = () => problem(503, 'service-unavailable', { 'retry-after': '1' });
    const { session, count } = await signedIn({ 'auth/refresh': () => respond(), products: () => json([]) }, 0);
    await expect(session.fetch('/api/v1/products')).rejects.toMatchObject({ status: 503, retryAfterMs: 1_000 });
    respond = () => json({ accessToken: accessToken(), expiresIn: 900 });
    vi.setSystemTime(NOW + 900);
    await expect(session.fetch('/api/v1/products')).rejects.toMatchObject({ status: 503 });
    expect(count('auth/refresh')).toBe(1);
    vi.setSystemTime(NOW + 1_100);
    expect((await session.fetch('/api/v1/products')).status).toBe(200);
    session.close();
  });

  it('rejects after the round-trip limit, is not sent again meanwhile, and uses its late response', async () => {
    vi.useFakeTimers({ toFake: [...TIMERS], now: NOW });
    const gate = Promise.withResolvers<void>();
    const { fetch, sent } = fakeFetch(() => gate.promise.then(() => json({ accessToken: accessToken() })));
    const session = createCookieSession({ baseUrl: 'https://service.test', fetch, roundTripMs: 200 });
    const refused = { code: 'refresh-timeout', status: 0 };
    const restored = expect(session.restore()).rejects.toMatchObject(refused);
    await turnsUntil(() => sent.length > 0);
    await pass(300);
    await restored;
    expect(session.getSnapshot().status).toBe('unknown');
    const again = session.restore().catch((error: unknown) => error);
    await pass(1_200);
    expect(sent).toHaveLength(1);
    gate.resolve();
    await turnsUntil(() => session.getSnapshot().status === 'signed-in');
    await pass(300);
    await again;
    expect(sent).toHaveLength(1);
    session.close();
  });

  it('is aborted after the maximum wait', async () => {
    vi.useFakeTimers({ toFake: [...TIMERS], now: NOW });
    let isAborted = false;
    const { fetch, sent } = fakeFetch(({ init }) => {
      init.signal!.addEventListener('abort', () => (isAborted = true));
      return new Promise(() => undefined);
    });
    const session = createCookieSession({
      baseUrl: 'https://service.test',
      fetch,
      roundTripMs: 100,
      lockWaitMs: 2_000,
    });
    const restored = expect(session.restore()).rejects.toMatchObject({ code: 'refresh-timeout' });
    await turnsUntil(() => sent.length > 0);
    await pass(1_990);
    await restored;
    expect(isAborted).toBe(false);
    await pass(10);
    expect(isAborted).toBe(true);
    session.close();
  });

  it('a login without a response is aborted after the round-trip limit', async () => {
    vi.useFakeTimers({ toFake: [...TIMERS], now: NOW });
    let isAborted = false;
    const { fetch, sent } = fakeFetch(({ init }) => {
      init.signal!.addEventListener('abort', () => (isAborted = true));
      return new Promise(() => undefined);
    });
    const session = createCookieSession({ baseUrl: 'https://service.test', fetch, roundTripMs: 100 });
    const login = expect(session.login(CREDENTIALS)).rejects.toMatchObject({ code: 'refresh-timeout' });
    await turnsUntil(() => sent.length > 0);
    await pass(90);
    expect(isAborted).toBe(false);
    await pass(50);
    await login;
    expect(isAborted).toBe(true);
    session.close();
  });
});

describe('a logout', () => {
  it('with a revoked access token ends the session by the cookie', async () => {
    const { session, sent } = await signedIn({
      'auth/logout': (call) => (bearerOf(call) ? problem(401, 'unauthorized') : new Response()),
    });
    await session.logout();
    expect(sent.filter(({ path }) => path.endsWith('/logout')).map(bearerOf)).toEqual([expect.any(String), null]);
    expect(session.getSnapshot().status).toBe('signed-out');
  });

  it('that fails keeps the session', async () => {
    const { session } = await signedIn({ 'auth/logout': () => problem(503, 'service-unavailable') });
    await expect(session.logout()).rejects.toMatchObject({ status: 503 });
    expect(session.getSnapshot().status).toBe('signed-in');
    session.close();
  });
});

describe('Profile B', () => {
  function tokenService() {
    const used: unknown[] = [];
    let issued = 0;
    const { fetch } = fakeFetch(({ path, init }) => {
      const body = init.body === undefined ? {} : (JSON.parse(init.body as string) as { refresh_token?: string });
      if (path.endsWith('/me')) return json({});
      if (path.endsWith('/logout')) return json({ message: 'Logged out successfully' });
      if (path.endsWith('/refresh')) used.push(body.refresh_token);
      issued += 1;
      return json({ access_token: accessToken(), refresh_token: `r${issued}`, expires_in: 0 });
    });
    return { fetch, used };
  }

  it('sends each refresh token once and stores the next one', async () => {
    const { fetch, used } = tokenService();
    const store = memoryStore();
    const session: Session = createTokenSession({ baseUrl: 'https://service.test', fetch, store });
    await session.login(CREDENTIALS);
    await session.fetch('/api/v1/auth/me');
    await session.fetch('/api/v1/auth/me');
    expect(used).toEqual(['r1', 'r2']);
    expect(store.get()).toBe('r3');
    await session.logout();
    expect(store.get()).toBeUndefined();
  });

  it('is signed out without a refresh token, and sends no request', async () => {
    const { fetch, used } = tokenService();
    const session = createTokenSession({ baseUrl: 'https://service.test', fetch });
    expect(await session.restore()).toEqual({ status: 'signed-out' });
    expect(used).toEqual([]);
  });
});

it('two sessions of one Node process share no state', async () => {
  const { session: first } = await signedIn({});
  const { fetch } = fakeFetch(() => problem(401, 'refresh-session-invalid'));
  const second = createCookieSession({ baseUrl: 'https://service.test', fetch });
  expect(await second.restore()).toEqual({ status: 'signed-out' });
  expect(first.getSnapshot().status).toBe('signed-in');
  first.close();
  second.close();
});
