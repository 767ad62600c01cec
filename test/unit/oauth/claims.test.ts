// The claims about a user and of ID tokens, by example and by property.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { metadataOf } from '../../../gateway/root/metadata.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { claimsOf, type ClaimSubject } from '../../../src/auth/oauth/claims/claims.ts';
import {
  ID_TOKEN_LIFETIME_SECONDS,
  idTokenClaims,
  type IdTokenFacts,
} from '../../../src/auth/oauth/claims/id-token.ts';
import { SCOPES, type Scope } from '../../../src/auth/oauth/scopes.ts';
import { anyText } from '../../support/texts.ts';

const ACCOUNT = {
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  tenantId: 'acme',
  username: 'ann@acme.test',
  name: 'Ann',
  email: 'ann@mail.test',
  emailVerifiedAt: 1,
  createdAt: 1_000_999,
  updatedAt: 2_000_999,
  rights: { roles: ['SALES', 'USER'], prefixedRoles: ['ROLE_SALES', 'ROLE_USER'] },
} as unknown as Account;
const SUBJECT: ClaimSubject = { account: ACCOUNT, tenantName: 'Acme', language: 'de' };
const subjectOf = (account: Partial<Account>): ClaimSubject => ({ ...SUBJECT, account: { ...ACCOUNT, ...account } });

/** `claims_supported` of the metadata. */
const { claims_supported: CLAIM_NAMES } = metadataOf(
  {
    issuer: 'https://login.example.com',
    signingAlgorithms: ['ES256'],
    idTokenSigningAlgorithms: ['RS256'],
    audience: '',
  },
  { base: '', auth: '', isProvider: true },
);

const claims = (scopes: readonly Scope[], subject = SUBJECT, usernameForm: 'FULL' | 'LOCAL_PART' = 'FULL') =>
  claimsOf(scopes, subject, { usernameForm });

describe('the claims of a scope', () => {
  it.each<[Scope, object]>([
    ['openid', {}],
    ['profile', { name: 'Ann', preferred_username: 'ann@acme.test', updated_at: 2_000, locale: 'de' }],
    ['email', { email: 'ann@mail.test', email_verified: true }],
    ['roles', { roles: ['ROLE_SALES', 'ROLE_USER'] }],
    ['groups', { groups: ['SALES', 'USER'] }],
    ['tenant', { tenantId: 'acme', tenantName: 'Acme' }],
    ['offline_access', {}],
  ])('%s', (scope, expected) => {
    expect(claims([scope])).toEqual(expected);
  });

  it('are none without a scope', () => {
    expect(claims([])).toEqual({});
  });

  it('have the time of the creation if the account was never changed', () => {
    const { updatedAt: _, ...account } = ACCOUNT;
    expect(claims(['profile'], { ...SUBJECT, account })).toMatchObject({ updated_at: 1_000 });
  });

  it('have false beside an address that is not verified, and neither without an address', () => {
    const unverified = subjectOf({ emailVerifiedAt: undefined });
    expect(claims(['email'], unverified)).toEqual({ email: 'ann@mail.test', email_verified: false });
    expect(claims(['email'], subjectOf({ email: undefined }))).toEqual({});
  });

  it('have an empty list without a role', () => {
    const rights = { ...ACCOUNT.rights, roles: [], prefixedRoles: [] };
    expect(claims(['roles', 'groups'], subjectOf({ rights }))).toEqual({ roles: [], groups: [] });
  });

  it('have no tenant without one', () => {
    const subject = { ...subjectOf({ tenantId: undefined }), tenantName: undefined };
    expect(claims(['tenant'], subject)).toEqual({});
  });

  it.each([
    ['ann@acme.test', 'ann'],
    ['ann', 'ann'],
    ['ann@acme@test', 'ann'],
    ['@ann', '@ann'],
    ['@ann@acme.test', '@ann'],
    ['a@', 'a'],
  ])('have the local part of %s', (username, local) => {
    expect(claims(['profile'], subjectOf({ username }), 'LOCAL_PART')).toMatchObject({ preferred_username: local });
    expect(claims(['profile'], subjectOf({ username }))).toMatchObject({ preferred_username: username });
  });

  it('are those of each scope together, and all in the metadata', () => {
    fc.assert(
      fc.property(fc.subarray([...SCOPES]), fc.constantFrom('FULL' as const, 'LOCAL_PART' as const), (scopes, form) => {
        const together = claims(scopes, SUBJECT, form);
        expect(together).toEqual(Object.assign({}, ...scopes.map((scope) => claims([scope], SUBJECT, form))));
        expect(CLAIM_NAMES).toEqual(expect.arrayContaining(Object.keys(together)));
      }),
    );
  });

  it('never have a value that is undefined, nor an empty name of a user', () => {
    fc.assert(
      fc.property(
        fc.record({
          username: fc.string({ minLength: 1 }),
          email: fc.option(fc.string(), { nil: undefined }),
          emailVerifiedAt: fc.option(fc.nat(), { nil: undefined }),
          tenantId: fc.constantFrom(undefined, 'acme'),
        }),
        fc.constantFrom(undefined, 'Acme'),
        fc.constantFrom('FULL' as const, 'LOCAL_PART' as const),
        (account, tenantName, form) => {
          const all = claims(SCOPES, { ...subjectOf(account), tenantName }, form);
          expect(Object.values(all)).not.toContain(undefined);
          expect(all['preferred_username']).not.toBe('');
          expect('email' in all).toBe('email_verified' in all);
        },
      ),
    );
  });
});

const FACTS: IdTokenFacts = {
  issuer: 'https://login.example.com',
  application: { clientId: 'app', usernameForm: 'FULL', idTokenClaims: true },
  grant: {
    sessionId: '01890a5d-ac96-774b-bcce-b302099a8058',
    offline: false,
    authenticatedAt: 1_000_999,
    methods: ['pwd'],
  },
  scopes: ['openid'],
  subject: SUBJECT,
  nonce: undefined,
  accessToken: 'access',
  now: 5_000_999,
};

describe('the claims of an ID token', () => {
  it('are those of the login and the client', () => {
    expect(idTokenClaims(FACTS)).toEqual({
      iss: 'https://login.example.com',
      sub: ACCOUNT.id,
      aud: 'app',
      iat: 5_000,
      exp: 5_600,
      auth_time: 1_000,
      amr: ['pwd'],
      acr: '1',
      at_hash: createHash('sha256').update('access').digest().subarray(0, 16).toString('base64url'),
      sid: FACTS.grant.sessionId,
    });
  });

  // OpenID Connect Core, appendix A.3.
  it('have the hash of the standard', () => {
    const accessToken = 'jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y';
    expect(idTokenClaims({ ...FACTS, accessToken })).toMatchObject({ at_hash: '77QmUPtjPfzWtF2AnpK9RQ' });
  });

  it.each([
    [['pwd'], '1'],
    [['hwk', 'user'], '1'],
    [['pwd', 'otp', 'mfa'], 'mfa'],
    [['hwk', 'user', 'mfa'], 'phr'],
    [['swk', 'user', 'mfa'], 'phr'],
  ] as const)('have the class of %j', (methods, acr) => {
    expect(idTokenClaims({ ...FACTS, grant: { ...FACTS.grant, methods } })).toMatchObject({ amr: methods, acr });
  });

  it('have the claims of the scopes only for an application that wants them', () => {
    const scopes: readonly Scope[] = ['openid', 'email'];
    expect(idTokenClaims({ ...FACTS, scopes })).toMatchObject({ email: 'ann@mail.test', email_verified: true });
    const application = { ...FACTS.application, idTokenClaims: false };
    expect(idTokenClaims({ ...FACTS, scopes, application })).toEqual(idTokenClaims(FACTS));
  });

  it('have any nonce as it came, and never an authorized party', () => {
    fc.assert(
      fc.property(
        fc.option(anyText(), { nil: undefined }),
        fc.subarray([...SCOPES]),
        fc.nat(Number.MAX_SAFE_INTEGER),
        (nonce, scopes, now) => {
          const token = idTokenClaims({ ...FACTS, nonce, scopes, now });
          expect('nonce' in token).toBe(nonce !== undefined);
          expect(token['nonce']).toBe(nonce);
          expect(token).not.toHaveProperty('azp');
          expect(token['exp']).toBe(Number(token['iat']) + ID_TOKEN_LIFETIME_SECONDS);
          expect(CLAIM_NAMES).toEqual(expect.arrayContaining(Object.keys(token)));
        },
      ),
    );
  });

  it('cannot be replaced by those of a scope', () => {
    const names = SCOPES.flatMap((scope) => Object.keys(claims([scope])));
    const own = Object.keys(
      idTokenClaims({ ...FACTS, nonce: 'n', application: { ...FACTS.application, idTokenClaims: false } }),
    );
    expect(names.filter((name) => own.includes(name))).toEqual([]);
  });
});
