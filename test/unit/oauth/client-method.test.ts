// How a client authenticates: one method, read from the parameters, by example and by property.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  readClientMethod,
  type ClientEndpoint,
  type PresentedClient,
} from '../../../src/auth/oauth/tokens/client-method.ts';
import { ServiceError } from '../../../src/platform/errors.ts';

const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const jwtOf = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
const ASSERTION = { clientAssertion: jwtOf({ sub: 'app' }), clientAssertionType: TYPE };
const BASIC = { clientId: 'app', clientSecret: 's' };

/** Returns the method, or the reason of the refusal. */
function read(presented: PresentedClient, endpoint: ClientEndpoint = 'token'): object | string {
  try {
    return readClientMethod(presented, endpoint);
  } catch (error) {
    if (error instanceof ServiceError) return error.reason;
    throw error;
  }
}

it.each<[what: string, presented: PresentedClient, method: object]>([
  ['a name', { clientId: 'app' }, { kind: 'none', clientId: 'app' }],
  ['a secret of a form', { clientId: 'app', clientSecret: 's' }, { kind: 'secret', clientId: 'app', secret: 's' }],
  ['Basic', { basic: BASIC }, { kind: 'secret', clientId: 'app', secret: 's' }],
  [
    'Basic with the same client id',
    { basic: BASIC, clientId: 'app' },
    { kind: 'secret', clientId: 'app', secret: 's' },
  ],
  ['Basic with an empty secret', { basic: { ...BASIC, clientSecret: '' } }, { kind: 'none', clientId: 'app' }],
  [
    'Basic beside an empty secret',
    { basic: BASIC, clientSecret: '' },
    { kind: 'secret', clientId: 'app', secret: 's' },
  ],
  ['an empty secret', { clientId: 'app', clientSecret: '' }, { kind: 'none', clientId: 'app' }],
  [
    'an assertion',
    { ...ASSERTION, clientId: 'app' },
    { kind: 'assertion', clientId: 'app', assertion: ASSERTION.clientAssertion },
  ],
  [
    'an assertion with its subject alone',
    ASSERTION,
    { kind: 'assertion', clientId: 'app', assertion: ASSERTION.clientAssertion },
  ],
  [
    'an assertion with another client id, which its check refuses',
    { ...ASSERTION, clientId: 'other' },
    { kind: 'assertion', clientId: 'other', assertion: ASSERTION.clientAssertion },
  ],
])('reads %s', (_what, presented, method) => {
  expect(read(presented)).toEqual(method);
});

it.each<[what: string, presented: PresentedClient, reason: string]>([
  ['nothing', {}, 'INVALID_REQUEST'],
  ['a secret alone', { clientSecret: 's' }, 'INVALID_REQUEST'],
  ['Basic without a client id', { basic: { clientId: '', clientSecret: 's' } }, 'INVALID_REQUEST'],
  ['two secrets', { basic: BASIC, clientSecret: 's' }, 'INVALID_REQUEST'],
  ['two client ids', { basic: BASIC, clientId: 'App' }, 'INVALID_REQUEST'],
  ['a secret and an assertion', { ...ASSERTION, clientId: 'app', clientSecret: 's' }, 'INVALID_REQUEST'],
  ['Basic and an assertion', { ...ASSERTION, basic: BASIC }, 'INVALID_REQUEST'],
  ['an assertion without its type', { clientAssertion: ASSERTION.clientAssertion }, 'INVALID_REQUEST'],
  ['a type without an assertion', { clientId: 'app', clientAssertionType: TYPE }, 'INVALID_REQUEST'],
  ['a SAML assertion', { ...ASSERTION, clientAssertionType: TYPE.replace('jwt', 'saml2') }, 'INVALID_CLIENT'],
  ['an assertion that is not a JWT', { ...ASSERTION, clientAssertion: 'x' }, 'INVALID_CLIENT'],
  ['an assertion without a subject', { ...ASSERTION, clientAssertion: jwtOf({}) }, 'INVALID_CLIENT'],
  ['a subject that is not a text', { ...ASSERTION, clientAssertion: jwtOf({ sub: 1 }) }, 'INVALID_CLIENT'],
  ['an overlong assertion', { ...ASSERTION, clientAssertion: jwtOf({ sub: 'a'.repeat(9_000) }) }, 'INVALID_CLIENT'],
])('refuses %s', (_what, presented, reason) => {
  expect(read(presented)).toBe(reason);
});

it.each([
  ['token', 'INVALID_REQUEST'],
  ['par', 'INVALID_REQUEST'],
  ['introspect', 'INVALID_CLIENT'],
  ['revoke', 'INVALID_CLIENT'],
] as const)('at %s, refuses a request without a client as %s', (endpoint, reason) => {
  expect([read({}, endpoint), read({ clientSecret: 's' }, endpoint)]).toEqual([reason, reason]);
});

describe('for any parameters', () => {
  const text = fc.constantFrom(undefined, '', 'a', 'b');
  const presented = fc.record({
    clientId: text,
    clientSecret: text,
    basic: fc.option(fc.record({ clientId: fc.constantFrom('', 'a'), clientSecret: fc.constantFrom('', 's') }), {
      nil: undefined,
    }),
    clientAssertion: fc.constantFrom(undefined, '', ASSERTION.clientAssertion),
    clientAssertionType: fc.constantFrom(undefined, '', TYPE, 'other'),
  });

  it('an empty parameter counts as absent', () => {
    fc.assert(
      fc.property(presented, ({ basic, ...texts }) => {
        const others = Object.fromEntries(Object.entries(texts).filter(([, value]) => value));
        expect(read({ basic, ...texts })).toEqual(read({ basic, ...others }));
      }),
    );
  });

  it('one method is read, and its credential was presented', () => {
    fc.assert(
      fc.property(presented, (given) => {
        const method = read(given);
        const secrets = [given.basic?.clientSecret, given.clientSecret].filter(Boolean);
        const count = secrets.length + (given.clientAssertion ? 1 : 0);
        if (count > 1) expect(method).toBe('INVALID_REQUEST');
        else if (typeof method === 'object')
          expect(method).toMatchObject({
            kind: count === 0 ? 'none' : secrets.length === 1 ? 'secret' : 'assertion',
          });
      }),
    );
  });
});
