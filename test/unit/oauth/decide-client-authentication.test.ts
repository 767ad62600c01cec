// The decision on the authentication of an application, by example and by property.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  decideClientAuthentication,
  USED_ASSERTION,
  type CheckedMethod,
  type ClientFacts,
} from '../../../src/auth/oauth/tokens/decide-client-authentication.ts';

const ASSERTION = { jti: 'j', kid: 'k', expiresAt: 1 };
const NONE: CheckedMethod = { kind: 'none' };
const RIGHT: CheckedMethod = { kind: 'secret', outcome: { kind: 'right', secretId: 's' } };
const SIGNED: CheckedMethod = { kind: 'assertion', outcome: { kind: 'right', assertion: ASSERTION } };
const secret = (kind: 'wrong' | 'expired' | 'sample'): CheckedMethod => ({ kind: 'secret', outcome: { kind } });

const WEB = { type: 'WEB', jwks: undefined, tenantId: 'acme', disabled: false } as const;
const WITH_KEYS = { ...WEB, jwks: '{"keys":[]}' };
const SPA = { ...WEB, type: 'SPA' } as const;
const NATIVE = { ...WEB, type: 'NATIVE' } as const;

const decide = (application: ClientFacts['application'], method: CheckedMethod, facts: Partial<ClientFacts> = {}) => {
  const decision = decideClientAuthentication({
    application,
    tenantStatus: 'ACTIVE',
    method,
    acceptsPublic: true,
    acceptsSuspended: false,
    ...facts,
  });
  return decision.kind === 'refuse' ? decision.refusal.reason : decision;
};

it('accepts the method of the application', () => {
  expect(decide(WEB, RIGHT)).toEqual({ kind: 'secret', secretId: 's' });
  expect(decide(WITH_KEYS, SIGNED)).toEqual({ kind: 'assertion', assertion: ASSERTION });
  for (const application of [SPA, NATIVE]) expect(decide(application, NONE)).toEqual({ kind: 'public' });
});

it('accepts an application for all tenants, which has no tenant', () => {
  expect(decide({ ...WEB, tenantId: undefined }, RIGHT, { tenantStatus: undefined })).toMatchObject({ kind: 'secret' });
});

it('accepts an application of a suspended tenant where its accounts are judged, unless it is disabled', () => {
  const facts = { tenantStatus: 'SUSPENDED', acceptsSuspended: true } as const;
  expect(decide(WEB, RIGHT, facts)).toEqual({ kind: 'secret', secretId: 's' });
  expect(decide(SPA, NONE, facts)).toEqual({ kind: 'public' });
  expect(decide({ ...WEB, disabled: true }, RIGHT, facts)).toBe('disabled');
});

it.each<[what: string, ...args: Parameters<typeof decide>]>([
  ['an application with a secret that names itself', WEB, NONE],
  ['an application with a secret that sends an assertion', WEB, SIGNED],
  ['an application with keys that names itself', WITH_KEYS, NONE],
  ['an application with keys that sends a secret', WITH_KEYS, RIGHT],
  ['an SPA that sends a secret', SPA, RIGHT],
  ['an SPA that sends a wrong secret', SPA, secret('wrong')],
  ['an SPA that sends an assertion', SPA, SIGNED],
  ['a NATIVE application that sends a secret', NATIVE, RIGHT],
  ['a public application where none is accepted', SPA, NONE, { acceptsPublic: false }],
  ['a disabled application by another method', { ...WEB, disabled: true }, NONE],
])('refuses %s', (_what, ...args) => {
  expect(decide(...args)).toBe('wrong-method');
});

it.each<[reason: string, ...args: Parameters<typeof decide>]>([
  ['unknown-client', undefined, NONE],
  ['unknown-client', undefined, RIGHT],
  ['unknown-client', undefined, SIGNED],
  ['tenant-suspended', WEB, RIGHT, { tenantStatus: 'SUSPENDED' }],
  ['tenant-suspended', WEB, RIGHT, { tenantStatus: undefined }],
  ['tenant-suspended', { ...WEB, disabled: true }, secret('wrong'), { tenantStatus: 'SUSPENDED' }],
  ['tenant-suspended', SPA, NONE, { tenantStatus: 'SUSPENDED' }],
  ['disabled', { ...WEB, disabled: true }, RIGHT],
  ['disabled', { ...WEB, disabled: true }, secret('wrong')],
  ['disabled', { ...WITH_KEYS, disabled: true }, SIGNED],
  ['disabled', { ...SPA, disabled: true }, NONE],
  ['wrong-secret', WEB, secret('wrong')],
  ['wrong-secret', WEB, secret('sample')],
  ['expired-secret', WEB, secret('expired')],
  ['wrong-assertion', WITH_KEYS, { kind: 'assertion', outcome: { kind: 'wrong', detail: 'd' } }],
])('refuses with the reason %s', (reason, ...args) => {
  expect(decide(...args)).toBe(reason);
});

it('says the detail of a wrong assertion', () => {
  const method: CheckedMethod = { kind: 'assertion', outcome: { kind: 'wrong', detail: 'expired' } };
  const facts = { application: WITH_KEYS, tenantStatus: 'ACTIVE', method } as const;
  const decision = decideClientAuthentication({ ...facts, acceptsPublic: true, acceptsSuspended: false });
  expect(decision).toMatchObject({ refusal: { detail: 'expired' } });
});

it.each<[detail: string, ClientFacts['application'], CheckedMethod, Partial<ClientFacts>]>([
  ['no client has this client id and method', undefined, RIGHT, {}],
  ['the application is public: it has neither a secret nor keys', SPA, RIGHT, {}],
  ['a public client cannot call this endpoint', SPA, NONE, { acceptsPublic: false }],
  ['the client secret is missing', WEB, NONE, {}],
  ['the client assertion is missing', WITH_KEYS, NONE, {}],
  ['the application has a secret, not keys', WEB, SIGNED, {}],
  ['the application has keys, not a secret', WITH_KEYS, RIGHT, {}],
  ['the tenant is suspended', WEB, RIGHT, { tenantStatus: 'SUSPENDED' }],
  ['the application is disabled', { ...WEB, disabled: true }, RIGHT, {}],
])('says why: %s', (detail, application, method, facts) => {
  const decision = decideClientAuthentication({
    application,
    tenantStatus: 'ACTIVE',
    method,
    acceptsPublic: true,
    acceptsSuspended: false,
    ...facts,
  });
  expect(decision).toMatchObject({ kind: 'refuse', refusal: { detail } });
});

it('refuses an assertion that was used before', () => {
  expect(USED_ASSERTION).toEqual({ reason: 'used-assertion', detail: 'the assertion was used before' });
});

it('accepts only the right method of an enabled application of an active tenant', () => {
  const methods = [NONE, RIGHT, SIGNED, secret('wrong'), secret('expired')];
  const application = fc.record({
    type: fc.constantFrom('WEB' as const, 'SPA' as const, 'NATIVE' as const),
    jwks: fc.constantFrom(undefined, '{}'),
    tenantId: fc.constantFrom(undefined, 'acme'),
    disabled: fc.boolean(),
  });
  const facts = fc.record({
    application: fc.option(application, { nil: undefined }),
    tenantStatus: fc.constantFrom('ACTIVE' as const, 'SUSPENDED' as const, undefined),
    method: fc.constantFrom(...methods),
    acceptsPublic: fc.boolean(),
    acceptsSuspended: fc.boolean(),
  });
  fc.assert(
    fc.property(facts, (given) => {
      const { application: client, tenantStatus, method, acceptsPublic, acceptsSuspended } = given;
      const { kind } = decideClientAuthentication(given);
      const right = client?.type !== 'WEB' ? acceptsPublic && NONE : client.jwks === undefined ? RIGHT : SIGNED;
      const isActive = acceptsSuspended || client?.tenantId === undefined || tenantStatus === 'ACTIVE';
      const isServed = client && !client.disabled && isActive;
      expect(kind !== 'refuse').toBe(Boolean(isServed) && method === right);
    }),
  );
});
