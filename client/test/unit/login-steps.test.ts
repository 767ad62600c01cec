// The steps of a login with a second factor, over a made-up service, in both profiles.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCookieSession, createTokenSession, type FactorStep, type PasswordStep } from '../../src/index.ts';
import { accessToken, fakeFetch, json } from './helpers.ts';

const NOW = Date.UTC(2026, 0, 1);
beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const CREDENTIALS = { username: 'a', password: 'b', rememberMe: true };
const CHALLENGE = { challenge: 'c1', methods: ['totp', 'recovery-code'] };
const WRONG = '000000';
const RECOVERY_CODES = ['AAAA-BBBB-CCCC-DDDD'];

const PROFILES = {
  'Profile A': {
    create: createCookieSession,
    codeOf: (code: string) => ({ errorCode: code }),
    members: { expiresIn: 300 },
    opened: () => ({ accessToken: accessToken(), recoveryCodes: RECOVERY_CODES }),
    login: CREDENTIALS,
    recovery: { challenge: 'c1', recoveryCode: 'x' },
    change: { challenge: 'c1', newPassword: 'new' },
    access: { challenge: 'c1', accessCode: '12345678' },
  },
  'Profile B': {
    create: createTokenSession,
    codeOf: (code: string) => ({ error: `AUTH_${code.toUpperCase().replaceAll('-', '_')}` }),
    members: { expires_in: 300 },
    opened: () => ({ access_token: accessToken(), refresh_token: 'r1', recovery_codes: RECOVERY_CODES }),
    login: { username: 'a', password: 'b' },
    recovery: { challenge: 'c1', recovery_code: 'x' },
    change: { challenge: 'c1', new_password: 'new' },
    access: { challenge: 'c1', access_code: '12345678' },
  },
};

describe.each(Object.entries(PROFILES))('%s', (_name, profile) => {
  /** A service whose logins need a factor, or have to create one. */
  function start(code = 'second-factor-required') {
    const { fetch, sent } = fakeFetch(({ path, init }) => {
      if (path.endsWith('/login')) return json({ ...profile.codeOf(code), ...CHALLENGE, ...profile.members }, 401);
      const isWrong = (JSON.parse(init.body as string) as { totp?: string }).totp === WRONG;
      return isWrong ? json(profile.codeOf('second-factor-invalid'), 401) : json(profile.opened());
    });
    const session = profile.create({ baseUrl: 'https://service.test', fetch });
    const bodies = () =>
      sent.map(({ path, init }) => [path.replace('/api/v1/auth', ''), JSON.parse(init.body as string)]);
    return { session, bodies };
  }
  const asStep = (step: unknown) => step as FactorStep;

  it('returns a step with the methods, and opens no session before its answer', async () => {
    const { session, bodies } = start();
    const step = asStep(await session.login(CREDENTIALS));
    expect(step).toMatchObject({ kind: 'second-factor', methods: ['totp', 'recovery-code'], challenge: 'c1' });
    expect(step.expiresAt).toBe(NOW + 300_000);
    expect(session.getSnapshot().status).toBe('unknown');
    expect(await step.answer({ totp: '123456' })).toMatchObject({ kind: 'session', user: { id: 'user-1' } });
    expect(session.getSnapshot().status).toBe('signed-in');
    expect(bodies()).toEqual([
      ['/login', profile.login],
      ['/second-factor', { challenge: 'c1', totp: '123456' }],
    ]);
    session.close();
  });

  it('rejects a wrong code, and accepts a further one', async () => {
    const { session, bodies } = start();
    const step = asStep(await session.login(CREDENTIALS));
    await expect(step.answer({ totp: WRONG })).rejects.toMatchObject({ name: 'ApiError', status: 401 });
    expect(session.getSnapshot().status).toBe('unknown');
    await step.answer({ recoveryCode: 'x' });
    expect(bodies().at(-1)).toEqual(['/second-factor', profile.recovery]);
    session.close();
  });

  it('replaces a temporary password, and goes on with the second factor', async () => {
    const refuse = (code: string) => json({ ...profile.codeOf(code), ...CHALLENGE, ...profile.members }, 401);
    const { fetch, sent } = fakeFetch(({ path }) => {
      if (path.endsWith('/login')) return refuse('password-change-required');
      return path.endsWith('/password-change') ? refuse('second-factor-required') : json(profile.opened());
    });
    const session = profile.create({ baseUrl: 'https://service.test', fetch });
    const step = (await session.login(CREDENTIALS)) as PasswordStep;
    expect(step).toMatchObject({ kind: 'password-change', challenge: 'c1', expiresAt: NOW + 300_000 });
    const next = asStep(await step.answer('new'));
    expect(next).toMatchObject({ kind: 'second-factor', challenge: 'c1' });
    expect(await next.answer({ accessCode: '12345678' })).toMatchObject({ kind: 'session' });
    const bodies = sent.map(({ init }) => JSON.parse(init.body as string) as unknown);
    expect(bodies).toEqual([profile.login, profile.change, profile.access]);
    session.close();
  });

  it('returns the recovery codes of an enrolment, and keeps them out of the state', async () => {
    const { session } = start('second-factor-enrolment-required');
    const step = asStep(await session.login(CREDENTIALS));
    expect(step.kind).toBe('enrolment');
    expect(await step.answer({ totp: '123456' })).toMatchObject({ recoveryCodes: RECOVERY_CODES });
    expect(JSON.stringify(session.getSnapshot())).not.toContain(RECOVERY_CODES[0]);
    session.close();
  });

  it('logs in with a passkey', async () => {
    const { session, bodies } = start();
    const passkey = { id: 'p' };
    expect(await session.login({ challenge: 'c2', passkey })).toMatchObject({ kind: 'session' });
    expect(bodies()).toEqual([['/passkey', { challenge: 'c2', passkey }]]);
    session.close();
  });

  it('throws every other error of a login', async () => {
    const { session } = start('bad-credentials');
    await expect(session.login(CREDENTIALS)).rejects.toMatchObject({ name: 'ApiError', status: 401 });
    session.close();
  });
});
