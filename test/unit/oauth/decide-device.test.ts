// The decisions on devices: what a user's decision leads to, and what a poll gets.
import { describe, expect, it } from 'vitest';
import type { SessionFacts } from '../../../src/auth/oauth/authorize/decide-authorization.ts';
import {
  decideDeviceDecision,
  decideDevicePoll,
  type DevicePollFacts,
} from '../../../src/auth/oauth/device/decide-device.ts';
import { newUserCode, userCodeHash } from '../../../src/auth/oauth/device/user-code.ts';

const NOW = 1_000_000;
const PENDING: NonNullable<DevicePollFacts['pending']> = {
  applicationId: 'a',
  deniedAt: undefined,
  polledAt: undefined,
  interval: 5,
  expiresAt: NOW + 1,
};
const CODE: NonNullable<DevicePollFacts['code']> = {
  applicationId: 'a',
  redirectUri: undefined,
  expiresAt: NOW + 1,
  usedAt: undefined,
};

const poll = (facts: Partial<DevicePollFacts>) => {
  const decision = decideDevicePoll({
    pending: undefined,
    code: undefined,
    application: { id: 'a', deviceGrant: true },
    refusal: undefined,
    now: NOW,
    ...facts,
  });
  return decision.kind === 'refuse' ? decision.error : decision.kind;
};
const ofPending = (changes: Partial<typeof PENDING> = {}) => poll({ pending: { ...PENDING, ...changes } });
const ofCode = (changes: Partial<typeof CODE> = {}, facts: Partial<DevicePollFacts> = {}) =>
  poll({ code: { ...CODE, ...changes }, ...facts });

describe('a poll', () => {
  it('waits for the decision', () => {
    expect(ofPending()).toBe('pending');
    expect(ofPending({ polledAt: NOW - 5_000 })).toBe('pending');
  });

  it('slows down a device that asks before the interval has passed', () => {
    expect(ofPending({ polledAt: NOW })).toBe('slow-down');
    expect(ofPending({ polledAt: NOW - 4_499 })).toBe('slow-down');
    expect(ofPending({ polledAt: NOW - 4_500 })).toBe('pending');
    expect(ofPending({ polledAt: NOW - 9_499, interval: 10 })).toBe('slow-down');
    expect(ofPending({ polledAt: NOW - 9_500, interval: 10 })).toBe('pending');
  });

  it('says at once what was decided', () => {
    expect(ofPending({ deniedAt: NOW, polledAt: NOW })).toBe('ACCESS_DENIED');
    expect(ofCode()).toBe('redeem');
  });

  it('expires with its code, decided or not', () => {
    expect(ofPending({ expiresAt: NOW })).toBe('EXPIRED_TOKEN');
    expect(ofCode({ expiresAt: NOW })).toBe('EXPIRED_TOKEN');
    expect(ofPending({ expiresAt: NOW, deniedAt: NOW })).toBe('ACCESS_DENIED');
  });

  it('revokes the grant of a code that was used, also when it is late', () => {
    expect(ofCode({ usedAt: NOW })).toBe('replay');
    expect(ofCode({ usedAt: NOW, expiresAt: NOW })).toBe('replay');
  });

  it('refuses an unknown code, one of another client, and one of the authorization endpoint', () => {
    expect(poll({})).toBe('INVALID_GRANT');
    expect(ofPending({ applicationId: 'b' })).toBe('INVALID_GRANT');
    expect(ofCode({ applicationId: 'b', usedAt: NOW })).toBe('INVALID_GRANT');
    expect(ofCode({ redirectUri: 'https://app.example.com/callback' })).toBe('INVALID_GRANT');
  });

  it('refuses what is refused now', () => {
    expect(ofCode({}, { refusal: 'the account is disabled' })).toBe('INVALID_GRANT');
    expect(ofCode({}, { application: { id: 'a', deviceGrant: false } })).toBe('UNAUTHORIZED_CLIENT');
  });
});

const SESSION: SessionFacts = {
  accountId: 'x',
  isServed: true,
  authenticatedAt: NOW,
  methods: ['pwd'],
  factors: { totp: false, passkey: false },
  lacksFactor: false,
  isPermitted: true,
  consented: [],
};
const decide = (
  choice: 'ALLOW' | 'DENY',
  session: Partial<SessionFacts> = {},
  requiredAcr?: 'mfa' | 'phr',
  type: 'WEB' | 'NATIVE' = 'WEB',
) =>
  decideDeviceDecision(
    { application: { type, firstParty: false, requiredAcr }, session: { ...SESSION, ...session }, now: NOW },
    choice,
  );

describe('a decision', () => {
  it('allows or denies, for each type of application', () => {
    expect(decide('ALLOW')).toBe('allow');
    expect(decide('ALLOW', {}, undefined, 'NATIVE')).toBe('allow');
    expect(decide('DENY')).toBe('deny');
  });

  it('is not that of an account that the application does not serve', () => {
    expect(decide('ALLOW', { isServed: false })).toBe('not-served');
    expect(decide('DENY', { isServed: false })).toBe('not-served');
    expect(decide('ALLOW', { isPermitted: false })).toBe('not-served');
    expect(decide('DENY', { isPermitted: false })).toBe('deny');
  });

  it('needs the factor of the policy and of the application, but not to deny', () => {
    expect(decide('ALLOW', { lacksFactor: true })).toBe('factor');
    expect(decide('ALLOW', {}, 'mfa')).toBe('factor');
    expect(decide('ALLOW', { methods: ['pwd', 'otp', 'mfa'] }, 'mfa')).toBe('allow');
    expect(decide('ALLOW', { methods: ['pwd', 'otp', 'mfa'] }, 'phr')).toBe('factor');
    expect(decide('DENY', { lacksFactor: true }, 'phr')).toBe('deny');
  });
});

describe('the code for the user', () => {
  it('has eight letters without vowels, in two groups', () => {
    for (let times = 0; times < 100; times += 1)
      expect(newUserCode()).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  });

  it('is the same in lower case, with blanks, and with or without hyphens', () => {
    const hash = userCodeHash('BCDF-GHJK')!;
    for (const same of ['bcdf-ghjk', 'BCDFGHJK', ' bcdf ghjk ', 'B-C-D-F–GHJK'])
      expect(userCodeHash(same)).toEqual(hash);
    for (const other of ['', 'BCDF-GHJ', 'BCDF-GHJKL', 'BCDE-GHJK', 'BCDF_GHJK', '1234-5678'])
      expect(userCodeHash(other)).toBeUndefined();
  });
});
