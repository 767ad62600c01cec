// The state of a session as the bindings of React and Vue show it, over a made-up service.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCookieSession, createTokenSession, type FactorStep, type Session } from '../../src/index.ts';
import { viewsOf } from '../../src/session-view.ts';
import { accessToken, fakeFetch, json } from './helpers.ts';

const CREDENTIALS = { username: 'a', password: 'b' };
const SESSION = () => json({ accessToken: accessToken(), access_token: accessToken(), refresh_token: 'r1' });
const CHALLENGE = { challenge: 'c1', methods: ['totp'], expiresIn: 300, expires_in: 300 };
const PROFILES = {
  'Profile A': { create: createCookieSession, codeOf: (code: string) => ({ errorCode: code }) },
  'Profile B': {
    create: createTokenSession,
    codeOf: (code: string) => ({ error: `AUTH_${code.toUpperCase().replaceAll('-', '_')}` }),
  },
};

const NOW = Date.UTC(2026, 0, 1);
beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ['Date'] }));

const sessions: Session[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const session of sessions.splice(0)) session.close();
});

/** Responses of a service by the end of the path. */
function start(responses: Readonly<Record<string, () => Response>>, create = PROFILES['Profile A'].create) {
  const { fetch } = fakeFetch(({ path }) => {
    const found = Object.entries(responses).find(([end]) => path.endsWith(end));
    return found ? found[1]() : json({ errorCode: 'refresh-session-invalid' }, 401);
  });
  const session = create({ baseUrl: 'https://service.test', fetch });
  sessions.push(session);
  const views = viewsOf(session);
  const seen: string[] = [];
  views.subscribe(() => seen.push(views.getSnapshot().status));
  return { session, views, seen, status: () => views.getSnapshot().status };
}

describe('restoring', () => {
  it('shows loading, then authenticated with the user, and the same object until the state changes', async () => {
    const { views, status } = start({ '/refresh': SESSION });
    expect(status()).toBe('loading');
    expect(views.getSnapshot()).toBe(views.getServerSnapshot());
    views.start();
    await expect.poll(status).toBe('authenticated');
    expect(views.getSnapshot().user).toMatchObject({ id: 'user-1', roles: ['ROLE_ADMIN'] });
    expect(views.getSnapshot()).toBe(views.getSnapshot());
    expect(views.getServerSnapshot()).toEqual({ status: 'loading' });
  });

  it('shows anonymous if the browser has no session', async () => {
    const { views, status } = start({});
    views.start();
    await expect.poll(status).toBe('anonymous');
  });

  it('stays loading with the error if the service is unavailable, and shows the session once it is back', async () => {
    let isDown = true;
    const { session, views, status } = start({
      '/refresh': () => (isDown ? json({ errorCode: 'unavailable' }, 503) : SESSION()),
    });
    views.start();
    await expect.poll(() => views.getSnapshot().error).toMatchObject({ status: 503 });
    expect(status()).toBe('loading');
    isDown = false;
    // The pause after the failure is over.
    vi.setSystemTime(NOW + 3_600_000);
    await session.restore();
    expect(views.getSnapshot()).toMatchObject({ status: 'authenticated' });
    expect(views.getSnapshot().error).toBeUndefined();
  });
});

describe.each(Object.entries(PROFILES))('a login with a second factor under %s', (_name, { create, codeOf }) => {
  function startLogin(answers: (() => Response)[]) {
    return start(
      {
        '/login': () => json({ ...codeOf('second-factor-required'), ...CHALLENGE }, 401),
        '/second-factor': () => answers.shift()!(),
        '/logout': () => new Response(null, { status: 204 }),
      },
      create,
    );
  }
  const refused = (code: string) => () => json(codeOf(code), 401);

  it('shows the step until it is answered, also after a wrong answer', async () => {
    const { views, status, seen } = startLogin([refused('second-factor-invalid'), SESSION]);
    const step = (await views.actions.login(CREDENTIALS)) as FactorStep;
    expect(views.getSnapshot()).toEqual({ status: 'second-factor', step });
    await expect(step.answer({ totp: '000000' })).rejects.toMatchObject({ status: 401 });
    expect(status()).toBe('second-factor');
    expect(await step.answer({ totp: '123456' })).toMatchObject({ kind: 'session' });
    expect(status()).toBe('authenticated');
    await views.actions.logout();
    expect(status()).toBe('anonymous');
    expect([...new Set(seen)]).toEqual(['second-factor', 'authenticated', 'anonymous']);
  });

  it('ends the step with an invalid challenge', async () => {
    const { session, views, status } = startLogin([refused('challenge-invalid')]);
    await session.restore();
    const step = (await views.actions.login(CREDENTIALS)) as FactorStep;
    await expect(step.answer({ totp: '123456' })).rejects.toMatchObject({ status: 401 });
    expect(status()).toBe('anonymous');
  });

  it('ends the step with an answer that is refused after the expiry, whatever the reason', async () => {
    const { session, views, status } = startLogin([refused('unauthorized'), refused('unauthorized')]);
    await session.restore();
    const step = (await views.actions.login(CREDENTIALS)) as FactorStep;
    await expect(step.answer({ totp: '123456' })).rejects.toMatchObject({ status: 401 });
    expect(status()).toBe('second-factor');
    vi.setSystemTime(NOW + 301_000);
    await expect(step.answer({ totp: '123456' })).rejects.toMatchObject({ status: 401 });
    expect(status()).toBe('anonymous');
  });

  it('ends the step when the login is cancelled, and a late answer to it does not end the next one', async () => {
    const { session, views, status } = startLogin([refused('challenge-invalid')]);
    await session.restore();
    const first = (await views.actions.login(CREDENTIALS)) as FactorStep;
    views.actions.cancelLogin();
    expect(status()).toBe('anonymous');
    await views.actions.login(CREDENTIALS);
    await expect(first.answer({ totp: '123456' })).rejects.toMatchObject({ status: 401 });
    expect(status()).toBe('second-factor');
  });
});

it('a session that is opened elsewhere ends the step for good', async () => {
  const logins = [() => json({ errorCode: 'second-factor-required', ...CHALLENGE }, 401), SESSION];
  const { session, views, status } = start({
    '/login': () => logins.shift()!(),
    '/logout': () => new Response(null, { status: 204 }),
  });
  await views.actions.login(CREDENTIALS);
  await session.login(CREDENTIALS);
  expect(status()).toBe('authenticated');
  await session.logout();
  expect(status()).toBe('anonymous');
});

it('all callers share the views of a session, so that a step is asked for once', () => {
  const { session, views } = start({});
  expect(viewsOf(session)).toBe(views);
  expect(viewsOf(start({}).session)).not.toBe(views);
});

it('a login that fails rejects, and does not change the state', async () => {
  const { session, views, status } = start({ '/login': () => json({ errorCode: 'bad-credentials' }, 401) });
  await session.restore();
  await expect(views.actions.login(CREDENTIALS)).rejects.toMatchObject({ code: 'bad-credentials' });
  expect(status()).toBe('anonymous');
});
