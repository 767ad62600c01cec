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

/** What developers read. */
const descriptionOf = (...args: Parameters<typeof decide>) => {
  const decision = decide(...args);
  return decision.kind === 'error' ? decision.description : decision.kind;
};

describe('the description of an error', () => {
  const withoutPkce = { application: webApplication({ requirePkce: false }) };
  it.each<[string, Parameters<typeof decide>]>([
    ['a parameter is malformed', [{}, {}, [['x', '%zz', true]]]],
    [
      'a parameter was sent twice',
      [
        {},
        {},
        [
          ['nonce', 'a'],
          ['nonce', 'b'],
        ],
      ],
    ],
    ['state has more than 4096 characters', [{ state: 's'.repeat(4_097) }]],
    ['nonce has more than 1024 characters', [{ nonce: 'n'.repeat(1_025) }]],
    ['request is not supported', [{ request: 'x' }]],
    ['request_uri is not supported', [{ request_uri: 'x' }]],
    ['registration is not supported', [{ registration: 'x' }]],
    ['response_type is missing', [{ response_type: undefined }]],
    ['response_type must be code', [{ response_type: 'token' }]],
    ['response_mode must be query', [{ response_mode: 'fragment' }]],
    ['code_challenge is missing', [{ code_challenge: undefined, code_challenge_method: undefined }]],
    ['code_challenge_method must be S256', [{ code_challenge_method: undefined }]],
    [
      'code_challenge_method must be S256',
      [{ code_challenge: undefined, code_challenge_method: 'plain' }, withoutPkce],
    ],
    ['code_challenge_method must be S256', [{ code_challenge_method: undefined }, withoutPkce]],
    ['code_challenge must be 43 characters of base64url', [{ code_challenge: undefined }]],
    ['code_challenge must be 43 characters of base64url', [{ code_challenge: undefined }, withoutPkce]],
    ['prompt has an unknown value', [{ prompt: 'login other' }]],
    ['prompt has none beside another value', [{ prompt: 'consent none' }]],
    ['max_age must be a number of seconds', [{ max_age: '1e3' }]],
    ['id_token_hint is not an ID token for this application', [{}, { hint: null }]],
    ['the application must push its requests (RFC 9126)', [{}, { application: webApplication({ requirePar: true }) }]],
    ['only one resource can be asked for', [{ resource: 'a' }, {}, [['resource', 'b']]]],
    ['the application may not ask for this resource', [{ resource: 'https://other.example' }]],
  ])('is %s', (description, args) => {
    expect(descriptionOf(...args)).toBe(description);
  });

  it('is the first one of several', () => {
    const parameters = {
      response_mode: 'fragment',
      code_challenge: undefined,
      prompt: 'x',
      max_age: 'x',
      resource: 'x',
    };
    const application = webApplication({ requirePar: true });
    const order = [
      [
        'a parameter is malformed',
        parameters,
        [
          ['x', '%', true],
          ['x', 'y'],
        ],
      ],
      [
        'a parameter was sent twice',
        { ...parameters, state: 's'.repeat(4_097) },
        [
          ['nonce', 'a'],
          ['nonce', 'b'],
        ],
      ],
      [
        'state has more than 4096 characters',
        { ...parameters, state: 's'.repeat(4_097), nonce: 'n'.repeat(1_025) },
        [],
      ],
      ['nonce has more than 1024 characters', { ...parameters, nonce: 'n'.repeat(1_025), request: 'x' }, []],
      ['response_mode must be query', parameters, []],
      ['code_challenge must be 43 characters of base64url', { ...parameters, response_mode: undefined }, []],
    ] as const;
    for (const [description, changes, more] of order)
      expect(descriptionOf(changes, { application, hint: null }, more as readonly Parameter[])).toBe(description);
  });
});

describe('a valid request', () => {
  const request = (changes: Readonly<Record<string, string | undefined>>, facts: Partial<RequestFacts> = {}) => {
    const decision = decide(changes, facts);
    return decision.kind === 'valid' ? decision.request : decision;
  };

  it('has texts as long as they may be', () => {
    const longest = { state: 's'.repeat(4_096), nonce: 'n'.repeat(1_024) };
    expect(request(longest)).toMatchObject(longest);
    expect(decide({ ...longest, response_type: 'token' })).toMatchObject({ kind: 'error', state: longest.state });
    const hints = { login_hint: 'l'.repeat(320), ui_locales: 'u'.repeat(320) };
    expect(request(hints)).toMatchObject({ loginHint: hints.login_hint, uiLocales: hints.ui_locales });
  });

  it('has no hint that is too long', () => {
    const hints = { login_hint: 'l'.repeat(321), ui_locales: 'u'.repeat(321) };
    expect(request(hints)).toMatchObject({ loginHint: undefined, uiLocales: undefined });
  });

  it('can leave out all that is optional', () => {
    expect(request({ state: undefined })).toMatchObject({
      state: undefined,
      nonce: undefined,
      resource: undefined,
      prompt: [],
      maxAge: undefined,
      acr: undefined,
      hint: undefined,
      loginHint: undefined,
      uiLocales: undefined,
    });
  });

  it.each(['none', 'login', 'consent', 'select_account'])('can have the prompt %s', (prompt) => {
    expect(request({ prompt })).toMatchObject({ prompt: [prompt] });
    expect(request({ prompt: ` ${prompt}  ${prompt} ` })).toMatchObject({ prompt: [prompt] });
  });

  it.each([
    ['mfa phr', 'mfa'],
    ['other phr', 'phr'],
    ['other 1', undefined],
  ])('has the first known class of %j', (values, acr) => {
    expect(request({ acr_values: values })).toMatchObject({ acr });
  });

  it('can name the response mode, and has the hint', () => {
    const hint = { sub: 'ann' };
    expect(request({ response_mode: 'query' }, { hint })).toMatchObject({ hint });
  });

  it('counts characters, not code units', () => {
    const longest = { state: '😀'.repeat(4_096), nonce: '😀'.repeat(1_024) };
    expect(request(longest)).toMatchObject(longest);
    expect(decide({ state: `${longest.state}s` })).toMatchObject({ kind: 'error', state: undefined });
    expect(decide({ nonce: `${longest.nonce}n` })).toMatchObject({ kind: 'error', state: 'state' });
  });

  it.each([
    ['0', 0],
    ['2147483647', 2_147_483_647],
    ['9'.repeat(400), Infinity],
  ])('can have the age %s', (maxAge, expected) => {
    expect(request({ max_age: maxAge })).toMatchObject({ maxAge: expected });
  });

  it('gives back the state of a malformed request, unless it is what is malformed', () => {
    expect(decide({}, {}, [['x', '%zz', true]])).toMatchObject({ kind: 'error', state: 'state' });
    expect(decide({ state: undefined }, {}, [['state', '%zz', true]])).toMatchObject({
      kind: 'error',
      state: undefined,
    });
  });
});
