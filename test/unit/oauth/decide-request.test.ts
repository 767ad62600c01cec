// The decision on an authorization request, by example.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { decideRequest, type RequestFacts } from '../../../src/auth/oauth/authorize/decide-request.ts';
import { createParameters, type Parameter } from '../../../src/auth/oauth/authorize/parameters.ts';
import { webApplication } from '../../support/oauth/applications.ts';

const CHALLENGE = createHash('sha256').update('v'.repeat(43)).digest('base64url');
const application = webApplication({ resources: ['https://api.example.com'] });
const BASE: Readonly<Record<string, string>> = {
  client_id: application.clientId,
  redirect_uri: application.redirectUris[0]!,
  response_type: 'code',
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
  state: 'state',
};

function decide(
  changes: Readonly<Record<string, string | undefined>> = {},
  facts: Partial<RequestFacts> = {},
  more: readonly Parameter[] = [],
) {
  const sent = Object.entries({ ...BASE, ...changes }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return decideRequest({
    parameters: createParameters([...sent, ...more]),
    application,
    isPushed: false,
    hint: undefined,
    ...facts,
  });
}

const errorOf = (...args: Parameters<typeof decide>) => {
  const decision = decide(...args);
  return decision.kind === 'error' ? decision.error : decision.kind;
};

it('accepts a request, and reads it', () => {
  const more = {
    nonce: 'n',
    scope: 'offline_access unknown openid email openid',
    prompt: 'login consent',
    max_age: '60',
    acr_values: 'urn:other phr mfa',
    login_hint: 'ann',
    ui_locales: 'de en',
    resource: 'https://api.example.com',
    display: 'popup',
  };
  expect(decide(more)).toEqual({
    kind: 'valid',
    request: {
      redirectUri: BASE['redirect_uri'],
      state: 'state',
      nonce: 'n',
      scopes: ['openid', 'email', 'offline_access'],
      resource: 'https://api.example.com',
      challenge: CHALLENGE,
      prompt: ['login', 'consent'],
      maxAge: 60,
      acr: 'phr',
      hint: undefined,
      loginHint: 'ann',
      uiLocales: 'de en',
    },
  });
});

it('accepts a request without a scope', () => {
  expect(decide()).toMatchObject({ kind: 'valid', request: { scopes: [] } });
});

describe('without a redirect', () => {
  it.each([
    ['client', {}, { application: undefined }, []],
    ['client', {}, {}, [['client_id', 'other']]],
    ['redirect-uri', { redirect_uri: undefined }, {}, []],
    ['redirect-uri', { redirect_uri: '' }, {}, []],
    ['redirect-uri', { redirect_uri: 'https://evil.example/' }, {}, []],
    ['redirect-uri', {}, {}, [['redirect_uri', BASE['redirect_uri']!]]],
    ['redirect-uri', { redirect_uri: 'https://evil.example/', response_type: 'token' }, {}, []],
  ] as const)('refuses an unknown %s: %j %j %j', (unknown, changes, facts, more) => {
    expect(decide(changes, facts, more as readonly Parameter[])).toEqual({ kind: 'page', unknown });
  });
});

describe('with a redirect', () => {
  it.each([
    [
      'INVALID_REQUEST',
      {},
      {},
      [
        ['display', 'a'],
        ['display', 'b'],
      ],
    ],
    ['INVALID_REQUEST', {}, {}, [['state', 'other']]],
    ['INVALID_REQUEST', { state: 's'.repeat(4_097) }, {}, []],
    ['INVALID_REQUEST', { nonce: 'n'.repeat(1_025) }, {}, []],
    ['REQUEST_NOT_SUPPORTED', { request: 'x' }, {}, []],
    ['REQUEST_URI_NOT_SUPPORTED', { request_uri: 'https://x.example' }, {}, []],
    ['REGISTRATION_NOT_SUPPORTED', { registration: '{}' }, {}, []],
    ['INVALID_REQUEST', { response_type: undefined }, {}, []],
    ['INVALID_REQUEST', { response_type: '' }, {}, []],
    ['UNSUPPORTED_RESPONSE_TYPE', { response_type: 'token' }, {}, []],
    ['UNSUPPORTED_RESPONSE_TYPE', { response_type: 'code id_token' }, {}, []],
    ['INVALID_REQUEST', { response_mode: 'form_post' }, {}, []],
    ['INVALID_REQUEST', { code_challenge: undefined, code_challenge_method: undefined }, {}, []],
    ['INVALID_REQUEST', { code_challenge_method: undefined }, {}, []],
    ['INVALID_REQUEST', { code_challenge_method: 'plain' }, {}, []],
    ['INVALID_REQUEST', { code_challenge: undefined }, {}, []],
    ['INVALID_REQUEST', { code_challenge: `${CHALLENGE}=` }, {}, []],
    ['INVALID_REQUEST', { code_challenge: 'short' }, {}, []],
    ['INVALID_REQUEST', { prompt: 'create' }, {}, []],
    ['INVALID_REQUEST', { prompt: 'none login' }, {}, []],
    ['INVALID_REQUEST', { max_age: '-1' }, {}, []],
    ['INVALID_REQUEST', { max_age: '1.5' }, {}, []],
    ['INVALID_REQUEST', {}, { hint: null }, []],
    ['INVALID_REQUEST', {}, { application: webApplication({ requirePar: true }) }, []],
    ['INVALID_TARGET', { resource: 'https://other.example' }, {}, []],
    ['INVALID_TARGET', { resource: 'https://api.example.com' }, {}, [['resource', 'https://api.example.com']]],
  ] as const)('reports %s: %j %j %j', (error, changes, facts, more) => {
    expect(errorOf(changes, facts, more as readonly Parameter[])).toBe(error);
  });

  it('reports the first fault', () => {
    expect(errorOf({ request: 'x', request_uri: 'x', response_type: 'token' })).toBe('REQUEST_NOT_SUPPORTED');
    expect(errorOf({ request_uri: 'x', registration: 'x' })).toBe('REQUEST_URI_NOT_SUPPORTED');
    expect(errorOf({ response_type: 'token', max_age: 'x' })).toBe('UNSUPPORTED_RESPONSE_TYPE');
    expect(errorOf({ resource: 'https://other.example', prompt: 'x' })).toBe('INVALID_REQUEST');
  });

  it('gives back the state as it came, unless it was doubled or too long', () => {
    const state = `ü😀&=${'s'.repeat(1_000)}`;
    expect(decide({ state, response_type: 'token' })).toMatchObject({ state, redirectUri: BASE['redirect_uri'] });
    expect(decide({}, {}, [['state', 'x']])).toMatchObject({ state: undefined });
    expect(decide({ state: 's'.repeat(4_097) })).toMatchObject({ state: undefined });
  });
});

it('needs no challenge of an application that needs none', () => {
  const none = { code_challenge: undefined, code_challenge_method: undefined };
  const facts = { application: webApplication({ requirePkce: false }) };
  expect(decide(none, facts)).toMatchObject({ kind: 'valid', request: { challenge: undefined } });
  expect(errorOf({ code_challenge_method: 'plain' }, facts)).toBe('INVALID_REQUEST');
});

it('accepts pushed parameters of an application that must push them', () => {
  expect(decide({}, { application: webApplication({ requirePar: true }), isPushed: true }).kind).toBe('valid');
});
