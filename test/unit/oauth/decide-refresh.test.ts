// The decision on a presented refresh token of an application, by example and by property.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decideRefresh,
  REPEAT_MS,
  type GrantState,
  type RefreshFacts,
} from '../../../src/auth/oauth/grants/decide-refresh.ts';
import { SCOPES, type Scope } from '../../../src/auth/oauth/scopes.ts';

const NOW = 1_000_000;
const ALL: readonly Scope[] = ['openid', 'profile', 'email'];
const GRANT: GrantState = {
  applicationId: 'a',
  scopes: ALL,
  generation: 5,
  rotatedAt: NOW - 1,
  stepScopes: ALL,
  previousStepScopes: ALL,
  revokedAt: undefined,
  idleExpiresAt: NOW + 1,
};

const decide = (grant: Partial<GrantState> | undefined, facts: Partial<RefreshFacts> = {}) =>
  decideRefresh({
    grant: grant && { ...GRANT, ...grant },
    generation: GRANT.generation,
    application: { id: 'a', type: 'SPA' },
    scope: undefined,
    refusal: undefined,
    now: NOW,
    ...facts,
  });

const refusal = (detail: string | RegExp) => ({
  kind: 'refuse',
  error: 'INVALID_GRANT',
  detail: expect.stringMatching(detail),
});

describe('the current token', () => {
  it.each(['SPA', 'NATIVE'] as const)('of an application of type %s rotates', (type) => {
    expect(decide({}, { application: { id: 'a', type } })).toEqual({ kind: 'rotate', scopes: ALL });
  });

  it('of a confidential client is kept', () => {
    expect(decide({}, { application: { id: 'a', type: 'WEB' } })).toEqual({ kind: 'keep', scopes: ALL });
  });

  it.each<[string, Partial<GrantState> | undefined, Partial<RefreshFacts>, string]>([
    ['is unknown', undefined, {}, 'the refresh token is unknown'],
    ['is of another client', { applicationId: 'b' }, {}, 'was issued to another client'],
    ['is of a revoked grant', { revokedAt: NOW - 1 }, {}, 'the grant is revoked'],
    ['is of a grant that ends now', { idleExpiresAt: NOW }, {}, 'the grant has expired'],
    ['is of a refused account', {}, { refusal: 'the account is disabled' }, 'the account is disabled'],
  ])('is refused without a change if it %s', (_name, grant, facts, detail) => {
    expect(decide(grant, facts)).toEqual(refusal(detail));
  });
});

describe('scopes', () => {
  it.each<[string | undefined, readonly Scope[]]>([
    [undefined, ALL],
    ['', ALL],
    ['  ', ALL],
    ['openid', ['openid']],
    ['email  openid email', ['openid', 'email']],
    ['profile openid email', ALL],
  ])('%j are those of the new tokens', (scope, scopes) => {
    expect(decide({}, { scope })).toEqual({ kind: 'rotate', scopes });
  });

  it.each(['roles', 'openid roles', 'openid unknown', 'OPENID', 'openid,email'])(
    '%j are more than those of the grant',
    (scope) => {
      expect(decide({}, { scope })).toEqual({
        kind: 'refuse',
        error: 'INVALID_SCOPE',
        detail: 'the grant has not this scope',
      });
    },
  );

  it('of a refused account are not checked', () => {
    expect(decide({}, { scope: 'roles', refusal: 'the account is disabled' })).toEqual(
      refusal('the account is disabled'),
    );
  });
});

describe('the previous token', () => {
  const previous = { generation: 4 };

  it('gets the same successor, while that one is unused', () => {
    expect(decide({ rotatedAt: 1 }, previous)).toEqual({ kind: 'repeat', scopes: ALL, generation: 5 });
    expect(decide({ stepScopes: ['openid'] }, { ...previous, scope: 'openid' })).toEqual({
      kind: 'repeat',
      scopes: ['openid'],
      generation: 5,
    });
  });

  it.each([undefined, 'openid profile', 'roles'])('is refused with another scope: %j', (scope) => {
    expect(decide({ stepScopes: ['openid'] }, { ...previous, scope })).toEqual(refusal('with another scope'));
  });

  it('is refused without a change for a refused account', () => {
    expect(decide({}, { ...previous, refusal: 'the session has ended' })).toEqual(refusal('the session has ended'));
  });
});

describe('the token before the previous one', () => {
  const facts = { generation: 3 };

  it('gets the same successor for a while after its first use', () => {
    const step: readonly Scope[] = ['openid'];
    const grant = { previousStepScopes: step, rotatedAt: NOW - REPEAT_MS };
    expect(decide(grant, { ...facts, scope: 'openid' })).toEqual({ kind: 'repeat', scopes: step, generation: 4 });
    expect(decide(grant, facts)).toEqual(refusal('with another scope'));
  });

  it('is a replay afterwards', () => {
    expect(decide({ rotatedAt: NOW - REPEAT_MS - 1 }, facts)).toEqual({ kind: 'replay' });
    expect(decide({ rotatedAt: undefined }, facts)).toEqual({ kind: 'replay' });
  });
});

describe('an older token', () => {
  it.each([1, 2])('is a replay: generation %i', (generation) => {
    expect(decide({}, { generation })).toEqual({ kind: 'replay' });
    expect(decide({}, { generation, refusal: 'the account is disabled' })).toEqual({ kind: 'replay' });
  });

  it('is refused without a change if another client presents it, or if the grant is over', () => {
    const old = { generation: 1 };
    expect(decide({}, { ...old, application: { id: 'b', type: 'SPA' } })).toEqual(refusal('another client'));
    expect(decide({ revokedAt: 1 }, old)).toEqual(refusal('revoked'));
    expect(decide({ idleExpiresAt: NOW }, old)).toEqual(refusal('expired'));
  });
});

it('does not punish a token that is newer than the stored one: the database was restored', () => {
  expect(decide({}, { generation: 6 })).toEqual(refusal('the refresh token is unknown'));
  expect(decide({ generation: 1 }, { generation: 7 })).toEqual(refusal('the refresh token is unknown'));
});

const scopeList = fc.subarray([...SCOPES], { minLength: 1 });

it('issues tokens for the client of a live grant alone, and never of more scopes than it has', () => {
  fc.assert(
    fc.property(
      fc.record({
        client: fc.constantFrom('a', 'b'),
        type: fc.constantFrom('WEB' as const, 'SPA' as const, 'NATIVE' as const),
        age: fc.integer({ min: -2, max: 4 }),
        scopes: scopeList,
        stepScopes: scopeList,
        previousStepScopes: scopeList,
        rotatedAgo: fc.option(fc.integer({ min: 0, max: 2 * REPEAT_MS }), { nil: undefined }),
        revokedAt: fc.constantFrom(undefined, NOW - 1, NOW + 1),
        idle: fc.integer({ min: -1, max: 1 }),
        scope: fc.option(scopeList, { nil: undefined }),
        refused: fc.boolean(),
      }),
      ({ client, type, age, rotatedAgo, idle, scope, refused, ...grant }) => {
        const decision = decide(
          {
            ...grant,
            rotatedAt: rotatedAgo === undefined ? undefined : NOW - rotatedAgo,
            idleExpiresAt: NOW + idle,
          },
          {
            generation: GRANT.generation - age,
            application: { id: client, type },
            scope: scope?.join(' '),
            refusal: refused ? 'refused' : undefined,
          },
        );
        const isLive = client === 'a' && grant.revokedAt === undefined && idle > 0;
        const isRepeatable = age === 1 || (age === 2 && rotatedAgo !== undefined && rotatedAgo <= REPEAT_MS);
        const isReplay = isLive && age > 0 && !isRepeatable;
        expect(decision.kind === 'replay').toBe(isReplay);
        if (!('scopes' in decision)) return;
        expect(isLive && !refused && age >= 0).toBe(true);
        expect(decision.scopes).toEqual(scope ?? grant.scopes);
        expect(grant.scopes).toEqual(expect.arrayContaining([...decision.scopes]));
        if (decision.kind !== 'repeat') {
          expect(age).toBe(0);
          expect(decision.kind).toBe(type === 'WEB' ? 'keep' : 'rotate');
          return;
        }
        expect(isRepeatable).toBe(true);
        expect(decision.generation).toBe(GRANT.generation - age + 1);
        expect(decision.scopes).toEqual(age === 1 ? grant.stepScopes : grant.previousStepScopes);
      },
    ),
    { numRuns: 1_000 },
  );
});
