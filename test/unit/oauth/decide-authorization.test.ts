// The decision on a session for an authorization request, by example and by property.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  acrOf,
  decideContinuation,
  ERROR_OF,
  findLack,
  type AuthorizationFacts,
  type SessionFacts,
} from '../../../src/auth/oauth/authorize/decide-authorization.ts';

const NOW = 1_000_000_000;
const MINUTE = 60_000;

type Changes = {
  readonly request?: Partial<AuthorizationFacts['request']>;
  readonly application?: Partial<AuthorizationFacts['application']>;
  readonly session?: Partial<SessionFacts>;
};

const factsOf = ({ request, application, session }: Changes) => ({
  request: { prompt: [], maxAge: undefined, acr: undefined, hint: undefined, scopes: ['openid'] as const, ...request },
  requestedAt: NOW - MINUTE,
  application: { type: 'WEB' as const, firstParty: false, requiredAcr: undefined, ...application },
  session: {
    accountId: 'ann',
    isServed: true,
    authenticatedAt: NOW - 10 * MINUTE,
    methods: ['pwd'] as const,
    factors: { totp: false, passkey: false },
    lacksFactor: false,
    isPermitted: true,
    consented: ['openid'] as const,
    ...session,
  },
  now: NOW,
});
const lackOf = (changes: Changes) => findLack(factsOf(changes));
const LATER = { authenticatedAt: NOW - MINUTE };
const TOTP = { factors: { totp: true, passkey: false } };
const PASSKEY = { factors: { totp: false, passkey: true } };
const BOTH_USED = { factors: { totp: true, passkey: true }, methods: ['hwk', 'user', 'mfa'] as const };

it('gives a code to a session that has all', () => {
  expect(lackOf({})).toBeUndefined();
  expect(lackOf({ application: { firstParty: true }, session: { consented: [] } })).toBeUndefined();
});

it('has no session', () => {
  expect(findLack({ ...factsOf({}), session: undefined })).toBe('account');
});

it.each<[string, Changes]>([
  ['account', { session: { isServed: false } }],
  ['account', { request: { hint: { sub: 'bob' } } }],
  ['freshness', { request: { prompt: ['login'] } }],
  ['freshness', { request: { maxAge: 599 } }],
  ['freshness', { request: { maxAge: 0 } }],
  ['permission', { session: { isPermitted: false } }],
  ['factor', { session: { lacksFactor: true } }],
  ['acr', { application: { requiredAcr: 'mfa' } }],
  ['acr', { application: { requiredAcr: 'phr' }, session: { methods: ['pwd', 'otp', 'mfa'] } }],
  ['acr', { request: { acr: 'mfa' }, session: TOTP }],
  ['acr', { request: { acr: 'phr' }, session: { ...PASSKEY, methods: ['pwd', 'otp', 'mfa'] } }],
  ['click', { application: { type: 'NATIVE' } }],
  ['click', { request: { prompt: ['select_account'] } }],
  ['consent', { request: { prompt: ['consent'] } }],
  ['consent', { session: { consented: [] } }],
  ['consent', { request: { scopes: [] }, session: { consented: ['email'] } }],
  ['consent', { request: { scopes: ['openid', 'offline_access'] } }],
])('lacks %s: %j', (lack, changes) => {
  expect(lackOf(changes)).toBe(lack);
});

it.each<[string, Changes]>([
  ['an old session without a limit', { session: { authenticatedAt: 0 } }],
  ['a young session', { request: { maxAge: 600 } }],
  ['a login after the request, for prompt=login', { request: { prompt: ['login'] }, session: LATER }],
  ['a login after the request, for max_age=0', { request: { maxAge: 0 }, session: LATER }],
  ['a class that the account cannot have', { request: { acr: 'mfa' } }],
  ['phr for an account with a TOTP', { request: { acr: 'phr' }, session: TOTP }],
  ['a passkey for mfa', { request: { acr: 'mfa' }, session: { ...PASSKEY, methods: ['swk', 'user', 'mfa'] } }],
  ['a consent to openid, without a scope', { request: { scopes: [] } }],
  ['the hint of the account', { request: { hint: { sub: 'ann' } } }],
])('is satisfied by %s', (_name, changes) => {
  expect(lackOf(changes)).toBeUndefined();
});

it('reports the lacks in the order of their errors', () => {
  const all: Changes = {
    request: { prompt: ['login', 'consent'], hint: { sub: 'bob' } },
    application: { type: 'NATIVE', requiredAcr: 'phr' },
    session: { isPermitted: false, lacksFactor: true },
  };
  expect(ERROR_OF[lackOf(all)!]).toBe('login_required');
  const known = { ...all, request: { prompt: ['consent' as const] } };
  expect(ERROR_OF[lackOf(known)!]).toBe('access_denied');
  const permitted = { ...known, session: { lacksFactor: true } };
  expect(ERROR_OF[lackOf(permitted)!]).toBe('interaction_required');
  expect(ERROR_OF[lackOf({ request: { prompt: ['consent'] } })!]).toBe('consent_required');
});

it('has an error for each lack', () => {
  expect(ERROR_OF).toEqual({
    account: 'login_required',
    freshness: 'login_required',
    permission: 'access_denied',
    factor: 'interaction_required',
    acr: 'interaction_required',
    click: 'interaction_required',
    consent: 'consent_required',
  });
});

it.each([
  [[], '1'],
  [['pwd'], '1'],
  [['hwk', 'user'], '1'],
  [['pwd', 'otp', 'mfa'], 'mfa'],
  [['hwk', 'user', 'mfa'], 'phr'],
  [['swk', 'user', 'mfa'], 'phr'],
] as const)('the class of %j is %s', (methods, acr) => {
  expect(acrOf(methods)).toBe(acr);
});

it.each<[string | undefined, Changes]>([
  [undefined, { application: { requiredAcr: 'mfa' }, session: { methods: ['pwd', 'otp', 'mfa'] } }],
  [undefined, { application: { requiredAcr: 'phr' }, session: { methods: ['hwk', 'user', 'mfa'] } }],
  [undefined, { application: { requiredAcr: 'mfa' }, session: { methods: ['hwk', 'user', 'mfa'] } }],
  // The stricter one of both.
  [
    'acr',
    { application: { requiredAcr: 'mfa' }, request: { acr: 'phr' }, session: { ...PASSKEY, methods: ['otp', 'mfa'] } },
  ],
  [
    'acr',
    { application: { requiredAcr: 'phr' }, request: { acr: 'mfa' }, session: { ...TOTP, methods: ['otp', 'mfa'] } },
  ],
])('lacks %s for the class: %j', (lack, changes) => {
  expect(lackOf(changes)).toBe(lack);
});

it.each([
  [0, NOW, 'freshness'],
  [1, NOW - 1_000, undefined],
  [1, NOW - 1_001, 'freshness'],
])('the age %i of an authentication before the request: %i, lacks %s', (maxAge, authenticatedAt, lack) => {
  const facts = factsOf({ request: { maxAge }, session: { authenticatedAt } });
  expect(findLack({ ...facts, requestedAt: Infinity })).toBe(lack);
});

describe('the page', () => {
  const goOn = (changes: Changes, choice?: 'ALLOW' | 'DENY') => decideContinuation(factsOf(changes), choice);

  it('goes on without a question if nothing is missing', () => {
    expect(goOn({})).toEqual({ kind: 'code' });
  });

  it('ends by DENY, whatever else is missing', () => {
    const denied = { kind: 'error', error: 'access_denied' };
    expect(goOn({}, 'DENY')).toEqual(denied);
    expect(goOn({ session: { isPermitted: false } }, 'DENY')).toEqual(denied);
    expect(goOn({ request: { prompt: ['login'] } }, 'DENY')).toEqual(denied);
  });

  it('does not go on for an account that is not served, or not that of the hint', () => {
    expect(goOn({ session: { isServed: false } }, 'DENY')).toEqual({ kind: 'not-served' });
    expect(goOn({ session: { isServed: false } }, 'ALLOW')).toEqual({ kind: 'not-served' });
    expect(goOn({ request: { hint: { sub: 'bob' } } }, 'ALLOW')).toEqual({ kind: 'not-served' });
  });

  it('denies an account without the permission', () => {
    expect(goOn({ session: { isPermitted: false } }, 'ALLOW')).toEqual({ kind: 'error', error: 'access_denied' });
  });

  it.each<[readonly string[], Changes]>([
    [['password'], { request: { prompt: ['login'] } }],
    [['totp'], { request: { prompt: ['login'] }, session: TOTP }],
    [['passkey'], { request: { prompt: ['login'] }, session: PASSKEY }],
    [['totp', 'passkey'], { request: { maxAge: 0 }, session: { factors: { totp: true, passkey: true } } }],
    [['totp'], { session: { ...TOTP, lacksFactor: true } }],
    [['passkey'], { application: { requiredAcr: 'phr' }, session: { factors: { totp: true, passkey: true } } }],
    // What is needed is proven again, although the session has it.
    [['passkey'], { application: { requiredAcr: 'phr' }, request: { prompt: ['login'] }, session: BOTH_USED }],
    [['passkey'], { request: { prompt: ['login'], acr: 'phr' }, session: BOTH_USED }],
    [['totp', 'passkey'], { application: { requiredAcr: 'mfa' }, request: { prompt: ['login'] }, session: BOTH_USED }],
    [[], { application: { requiredAcr: 'mfa' }, request: { prompt: ['login'] }, session: { methods: ['otp', 'mfa'] } }],
    [['totp'], { application: { requiredAcr: 'mfa' }, session: TOTP }],
    [[], { application: { requiredAcr: 'mfa' } }],
    [[], { session: { lacksFactor: true } }],
  ])('asks to confirm by %j: %j', (methods, changes) => {
    expect(goOn(changes)).toEqual({ kind: 'confirmation', methods });
  });

  it('asks again to confirm by a factor that the account has', () => {
    const confirmation = { kind: 'confirmation', methods: ['totp'] };
    expect(goOn({ application: { requiredAcr: 'mfa' }, session: TOTP }, 'ALLOW')).toEqual(confirmation);
  });

  it('ends if the user goes on without the class that the application requires', () => {
    const unmet = { kind: 'error', error: 'unmet_authentication_requirements' };
    expect(goOn({ application: { requiredAcr: 'mfa' } }, 'ALLOW')).toEqual(unmet);
    expect(goOn({ application: { requiredAcr: 'phr' }, session: TOTP }, 'ALLOW')).toEqual(unmet);
    const removed = { ...TOTP, methods: ['hwk', 'user', 'mfa'] } as const;
    expect(goOn({ application: { requiredAcr: 'phr' }, request: { maxAge: 0 }, session: removed }, 'ALLOW')).toEqual(
      unmet,
    );
  });

  it('asks for consent once, and again with prompt=consent', () => {
    const asked = { kind: 'consent', scopes: ['openid'] };
    expect(goOn({ session: { consented: [] } })).toEqual(asked);
    expect(goOn({ request: { prompt: ['consent'] } })).toEqual(asked);
    expect(goOn({ request: { prompt: ['consent'] } }, 'ALLOW')).toEqual({ kind: 'code' });
    expect(goOn({ application: { firstParty: true }, request: { prompt: ['consent'] } })).toEqual({ kind: 'code' });
  });

  it('needs a choice for a native application and a choice of the account', () => {
    const trusted = { firstParty: true };
    expect(goOn({ application: { ...trusted, type: 'NATIVE' } })).toEqual({ kind: 'choice' });
    expect(goOn({ application: trusted, request: { prompt: ['select_account'] } })).toEqual({ kind: 'choice' });
    expect(goOn({ application: { ...trusted, type: 'NATIVE' } }, 'ALLOW')).toEqual({ kind: 'code' });
  });
});

const flag = fc.boolean();
const anyFacts = fc.record({
  request: fc.record({
    prompt: fc.subarray(['login', 'consent', 'select_account'] as const),
    maxAge: fc.constantFrom(undefined, 0, 300, 10_000),
    acr: fc.constantFrom(undefined, 'mfa' as const, 'phr' as const),
    hint: fc.constantFrom(undefined, { sub: 'ann' }, { sub: 'bob' }),
    scopes: fc.subarray(['openid', 'email', 'offline_access'] as const),
  }),
  application: fc.record({
    type: fc.constantFrom('WEB' as const, 'SPA' as const, 'NATIVE' as const),
    firstParty: flag,
    requiredAcr: fc.constantFrom(undefined, 'mfa' as const, 'phr' as const),
  }),
  session: fc.record({
    isServed: flag,
    authenticatedAt: fc.integer({ min: NOW - 10 * MINUTE, max: NOW }),
    methods: fc.subarray(['pwd', 'otp', 'swk', 'mfa'] as const),
    factors: fc.record({ totp: flag, passkey: flag }),
    lacksFactor: flag,
    isPermitted: flag,
    consented: fc.subarray(['openid', 'email', 'offline_access'] as const),
  }),
});

it('needs no page exactly if the page would not ask', () => {
  fc.assert(
    fc.property(anyFacts, (changes) => {
      expect(lackOf(changes) === undefined).toBe(decideContinuation(factsOf(changes), undefined).kind === 'code');
    }),
    { numRuns: 1_000 },
  );
});

it('gives no code to an account that is not served, not permitted, too old, or without the required class', () => {
  fc.assert(
    fc.property(anyFacts, fc.constantFrom(undefined, 'ALLOW' as const, 'DENY' as const), (changes, choice) => {
      const facts = factsOf(changes);
      if (decideContinuation(facts, choice).kind !== 'code') return;
      const { request, application, session } = facts;
      expect(session.isServed && session.isPermitted && !session.lacksFactor).toBe(true);
      expect(choice).not.toBe('DENY');
      expect(request.hint?.sub ?? 'ann').toBe('ann');
      const isLater = session.authenticatedAt >= facts.requestedAt;
      if (request.prompt.includes('login')) expect(isLater).toBe(true);
      if (request.maxAge === 0 && !isLater) expect(session.authenticatedAt).toBe(NOW);
      if (application.requiredAcr !== undefined)
        expect([application.requiredAcr, 'phr']).toContain(acrOf(session.methods));
      if (application.type === 'NATIVE') expect(choice).toBe('ALLOW');
      if (!application.firstParty && choice !== 'ALLOW')
        expect(request.scopes.every((scope) => session.consented.includes(scope as 'email'))).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});
