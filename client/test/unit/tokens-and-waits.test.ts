import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isUsable, readGrant } from '../../src/access-token.ts';
import { ApiError, noResponse, retryAfterMs } from '../../src/api-error.ts';
import { createBackoff } from '../../src/backoff.ts';
import { refreshTime } from '../../src/refresh-schedule.ts';
import { createSessionState } from '../../src/session-state.ts';
import { createUnfinishedExchange } from '../../src/unfinished-exchange.ts';
import { accessToken, memoryStorage } from './helpers.ts';

const NOW = Date.UTC(2026, 0, 1);
const MINUTE = 60_000;

beforeEach(() => void vi.useFakeTimers({ now: NOW }));
afterEach(() => void vi.useRealTimers());

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    [new Date(NOW + 5_000).toUTCString(), 5_000],
    [new Date(NOW - 5_000).toUTCString(), 0],
    ['soon', undefined],
    ['', undefined],
  ])('converts %j to %j ms', (value, expected) => {
    expect(retryAfterMs(new Headers({ 'retry-after': value }))).toBe(expected);
  });
});

describe('the wait after a failure', () => {
  const failure = (retryAfter?: number) => new ApiError('x', { status: 503, code: 'x', retryAfterMs: retryAfter });

  it('doubles from 1 s to 30 s, with a jitter of 50 %', () => {
    const backoff = createBackoff(() => 1);
    const waits = Array.from({ length: 7 }, () => {
      backoff.failed(failure());
      return backoff.until - NOW;
    });
    expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30].map((seconds) => seconds * 1_000));
    const quick = createBackoff(() => 0);
    quick.failed(failure());
    expect(quick.until - NOW).toBe(500);
  });

  it('equals Retry-After of any length', () => {
    const backoff = createBackoff();
    backoff.failed(failure(10 * MINUTE));
    vi.setSystemTime(NOW + 10 * MINUTE - 1);
    expect(backoff.failure()?.status).toBe(503);
    vi.setSystemTime(NOW + 10 * MINUTE);
    expect(backoff.failure()).toBeUndefined();
  });

  it('ends when the network is back only if there was no response', () => {
    const backoff = createBackoff();
    backoff.failed(failure(MINUTE));
    backoff.reachable();
    expect(backoff.failure()).toBeDefined();
    backoff.failed(noResponse('service-unreachable', 'x'));
    backoff.reachable();
    expect(backoff.failure()).toBeUndefined();
  });

  it('ends if the clock is set back', () => {
    const backoff = createBackoff();
    backoff.failed(failure());
    vi.setSystemTime(NOW - 60 * MINUTE);
    expect(backoff.failure()).toBeUndefined();
  });
});

describe('an access token', () => {
  it('expires by the lifetime in the response, on the local clock', () => {
    const token = accessToken({ iat: 1_000, exp: 1_300 });
    expect(readGrant(token).expiresAt).toBe(NOW + 300_000);
    expect(readGrant(token, 60).expiresAt).toBe(NOW + 60_000);
  });

  it('contains the user, in any alphabet', () => {
    const { user, sessionId } = readGrant(accessToken({ sub: 'ü-名', email: 'a@b.c', tenantId: 'acme', sid: 's' }));
    expect({ user, sessionId }).toEqual({
      user: { id: 'ü-名', email: 'a@b.c', tenantId: 'acme', roles: ['ROLE_ADMIN'] },
      sessionId: 's',
    });
  });

  it('has a lifetime of one minute if it cannot be parsed', () => {
    expect(readGrant('opaque')).toMatchObject({ expiresAt: NOW + MINUTE, user: { id: '' } });
  });

  it('is unusable after its end, and after the clock was set back', () => {
    const grant = readGrant(accessToken(), 900);
    expect([NOW, NOW + 899_999, NOW + 900_000, NOW - 1].map((at) => isUsable(grant, at))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it.each([
    [900, 840, 870],
    [100, 80, 90],
    [4, 4, 4],
    [1, 1, 1],
  ])('with a lifetime of %i s is refreshed between %i s and %i s', (lifetime, first, last) => {
    const grant = readGrant(accessToken(), lifetime);
    expect([refreshTime(grant, () => 1) - NOW, refreshTime(grant, () => 0) - NOW]).toEqual([first * 1000, last * 1000]);
  });
});

describe('the state of a session', () => {
  const grant = (claims: Record<string, unknown>) => readGrant(accessToken(claims));

  it('ignores a token of this session that is older than the current one', () => {
    const state = createSessionState();
    state.adopt(grant({ iat: 20 }));
    expect(state.adopt(grant({ iat: 19 }))).toBe(false);
    expect(state.adopt(grant({ iat: 20 }))).toBe(true);
    expect(state.adopt(grant({ iat: 5, sid: 'another login' }))).toBe(true);
  });

  it('ignores a late token of a session that has ended', () => {
    const state = createSessionState();
    state.adopt(grant({}));
    state.end();
    expect(state.adopt(grant({}))).toBe(false);
    expect(state.snapshot).toEqual({ status: 'signed-out' });
    expect(state.adopt(grant({ sid: 'another login' }))).toBe(true);
  });

  it('ends only for the given session', () => {
    const state = createSessionState();
    state.adopt(grant({ sid: 'a' }));
    state.endIf('b');
    state.endIf(undefined);
    expect(state.snapshot.status).toBe('signed-in');
    state.endIf('a');
    expect(state.snapshot.status).toBe('signed-out');
  });

  it('keeps its snapshot until it changes, and calls listeners once', () => {
    const state = createSessionState();
    const listener = vi.fn();
    const stop = state.subscribe(listener);
    expect(state.snapshot).toBe(state.snapshot);
    state.adopt(grant({}));
    state.end();
    state.end();
    expect(listener).toHaveBeenCalledTimes(2);
    stop();
    state.adopt(grant({ sid: 'b' }));
    expect(listener).toHaveBeenCalledTimes(2);
  });
});

describe('an unfinished exchange of a closed tab', () => {
  it('is waited for until its end, also if the clock changes', () => {
    const storage = memoryStorage();
    createUnfinishedExchange('lock', storage).begin();
    const next = createUnfinishedExchange('lock', storage);
    expect(next.remainingMs()).toBe(5_000);
    vi.setSystemTime(NOW + 4_000);
    expect(next.remainingMs()).toBe(1_000);
    vi.setSystemTime(NOW + 6_000);
    expect(next.remainingMs()).toBe(0);
    vi.setSystemTime(NOW - MINUTE);
    expect(next.remainingMs()).toBe(0);
  });

  it('is not waited for after it has ended', () => {
    const exchange = createUnfinishedExchange('lock', memoryStorage());
    exchange.begin();
    exchange.end();
    expect(exchange.remainingMs()).toBe(0);
  });
});
