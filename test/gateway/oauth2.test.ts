// The endpoints of the OpenID provider that take forms: requests, responses and errors, over a fake core.
import { beforeEach, describe, expect, it } from 'vitest';
import { refused } from '../support/fake-core.ts';
import { sharedGateway, type GatewayUnderTest } from './gateway.ts';

const OAUTH2 = '/api/v1/auth/oauth2';
const SERVICE = 'authservice.oauth.v1.AuthorizationService';
const FORM = 'application/x-www-form-urlencoded';
const BASIC = `Basic ${Buffer.from('web%2Dapp:s%2Bcret').toString('base64')}`;

let under: GatewayUnderTest;

beforeEach(async () => {
  under = await sharedGateway();
});

const post = (path: string, payload: string | Buffer, headers: Record<string, string> = {}) =>
  under.app.inject({
    method: 'POST',
    url: `${OAUTH2}/${path}`,
    headers: { 'content-type': FORM, ...headers },
    payload,
  });
const inputs = () => under.core.calls.map(({ rpc, input }) => [rpc, input]);

describe('POST /auth/oauth2/token', () => {
  const rpc = `${SERVICE}/ExchangeToken`;

  it('passes the parameters and the Basic credentials to the core, and ignores unknown ones', async () => {
    under.core.respond(rpc, {
      accessToken: 'a.b.c',
      expiresIn: 900,
      refreshToken: 'r',
      idToken: 'd.e.f',
      scope: 'openid profile',
    });
    const form = 'grant_type=authorization_code&code=c&redirect_uri=https%3A%2F%2Fapp.test%2Fcb&code_verifier=&state=x';
    const response = await post('token', form, { authorization: BASIC });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({
      access_token: 'a.b.c',
      token_type: 'Bearer',
      expires_in: 900,
      refresh_token: 'r',
      id_token: 'd.e.f',
      scope: 'openid profile',
    });
    expect(response.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    const basic = { clientId: 'web-app', clientSecret: 's+cret' };
    const expected = {
      grantType: 'authorization_code',
      code: 'c',
      redirectUri: 'https://app.test/cb',
      codeVerifier: '',
    };
    expect(inputs()).toEqual([[rpc, { ...expected, basic }]]);
  });

  it('passes a client assertion to the core', async () => {
    under.core.respond(rpc, { accessToken: 'a.b.c', expiresIn: 300 });
    const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
    const form = new URLSearchParams({ client_assertion: 'x.y.z', client_assertion_type: type }).toString();
    const response = await post('token', form);
    expect(response.json()).toEqual({ access_token: 'a.b.c', token_type: 'Bearer', expires_in: 300 });
    expect(inputs()).toEqual([[rpc, { clientAssertion: 'x.y.z', clientAssertionType: type }]]);
  });

  it.each<[what: string, payload: string | Buffer, headers?: Record<string, string>]>([
    ['JSON', '{"grant_type":"refresh_token"}', { 'content-type': 'application/json' }],
    ['another content type', 'grant_type=refresh_token', { 'content-type': 'text/plain' }],
    ['another charset', 'grant_type=refresh_token', { 'content-type': `${FORM}; charset=latin1` }],
    ['a doubled parameter', 'code=a&code=a'],
    ['a malformed escape', 'code=%zz'],
    ['malformed Basic credentials', 'code=a', { authorization: 'Basic !' }],
  ])('refuses %s as an OAuth error, without a call of the core', async (_what, payload, headers) => {
    const response = await post('token', payload, headers);
    expect(response.statusCode).toBe(400);
    expect(response.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
    expect(response.json()).toEqual({ error: 'invalid_request', error_description: expect.any(String) });
    expect(under.core.calls).toEqual([]);
  });

  it.each([
    ['INVALID_GRANT', 400, 'invalid_grant', undefined],
    ['UNAUTHORIZED_CLIENT', 400, 'unauthorized_client', undefined],
    ['INVALID_TARGET', 400, 'invalid_target', undefined],
    ['INVALID_CLIENT', 401, 'invalid_client', 'Basic realm="service"'],
    ['TOO_MANY_REQUESTS', 429, 'temporarily_unavailable', undefined],
    ['AUTHENTICATION_SERVICE_UNAVAILABLE', 503, 'temporarily_unavailable', undefined],
  ] as const)('returns %s as %d %s', async (reason, status, error, challenge) => {
    under.core.respond(rpc, refused(reason));
    const response = await post('token', 'grant_type=refresh_token', { authorization: BASIC });
    expect(response.statusCode).toBe(status);
    expect(response.json().error).toBe(error);
    expect(response.headers['www-authenticate']).toBe(challenge);
  });
});

describe('POST /auth/oauth2/par', () => {
  const rpc = `${SERVICE}/PushAuthorizationRequest`;

  it('passes the form to the core as it came, and returns 201', async () => {
    under.core.respond(rpc, { requestUri: 'urn:ietf:params:oauth:request_uri:x', expiresIn: 90 });
    const form = 'response_type=code&state=%e2%82%ac+%zz&state=b';
    const response = await post('par', form, { authorization: BASIC });
    expect(response.statusCode).toBe(201);
    expect(response.json()).toEqual({ request_uri: 'urn:ietf:params:oauth:request_uri:x', expires_in: 90 });
    expect(response.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    const basic = { clientId: 'web-app', clientSecret: 's+cret' };
    expect(inputs()).toEqual([[rpc, { parameters: form, basic }]]);
  });

  it.each<[what: string, payload: string | Buffer, headers?: Record<string, string>]>([
    ['JSON', '{}', { 'content-type': 'application/json' }],
    ['bytes that are not UTF-8', Buffer.from([0x61, 0x3d, 0xff])],
  ])('refuses %s as an OAuth error', async (_what, payload, headers) => {
    const response = await post('par', payload, headers);
    expect([response.statusCode, response.json().error]).toEqual([400, 'invalid_request']);
    expect(under.core.calls).toEqual([]);
  });
});

describe('/auth/oauth2/userinfo', () => {
  const rpc = `${SERVICE}/GetUserInfo`;
  const get = (headers: Record<string, string | string[]> = {}, query = '') =>
    under.app.inject({ url: `${OAUTH2}/userinfo${query}`, headers });

  it.each<[what: string, send: () => ReturnType<typeof get>]>([
    ['GET', () => get({ authorization: 'Bearer a.b.c' })],
    ['GET with a scheme in lower case', () => get({ authorization: 'bearer  a.b.c' })],
    ['POST', () => post('userinfo', '', { authorization: 'Bearer a.b.c' })],
    [
      'POST of nothing as JSON',
      () => post('userinfo', '', { authorization: 'Bearer a.b.c', 'content-type': 'application/json' }),
    ],
    ['POST of a form', () => post('userinfo', 'access_token=a.b.c')],
  ])('takes the token of a %s and returns the JSON of the core', async (_what, send) => {
    const json = '{"sub":"1","email_verified":true,"groups":[]}';
    under.core.respond(rpc, { json });
    const response = await send();
    expect([response.statusCode, response.body]).toEqual([200, json]);
    expect(response.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
    expect(inputs()).toEqual([[rpc, { accessTokens: ['a.b.c'] }]]);
  });

  it.each<[what: string, tokens: string[], send: () => ReturnType<typeof get>]>([
    ['no token of a query', [], () => get({}, '?access_token=a.b.c')],
    ['no token of another scheme', [], () => get({ authorization: BASIC })],
    ['no token of an empty header', [], () => get({ authorization: 'Bearer' })],
    ['no token of an empty parameter', [], () => post('userinfo', 'access_token=')],
    ['both tokens', ['a', 'b'], () => post('userinfo', 'access_token=b', { authorization: 'Bearer a' })],
  ])('passes %s to the core', async (_what, accessTokens, send) => {
    under.core.respond(rpc, { json: '{}' });
    await send();
    expect(inputs()).toEqual([[rpc, { accessTokens }]]);
  });

  it('passes an overlong token cut, so that the core refuses it as a token', async () => {
    under.core.respond(rpc, { json: '{}' });
    await get({ authorization: `Bearer ${'a'.repeat(9_000)}` });
    expect(inputs()).toEqual([[rpc, { accessTokens: ['a'.repeat(8_192)] }]]);
  });

  it.each<[what: string, payload: string, headers?: Record<string, string>]>([
    ['JSON', '{"access_token":"a"}', { 'content-type': 'application/json' }],
    ['a doubled token', 'access_token=a&access_token=a'],
  ])('refuses %s', async (_what, payload, headers) => {
    const response = await post('userinfo', payload, headers);
    expect([response.statusCode, response.json().error]).toEqual([400, 'invalid_request']);
    expect(response.headers['www-authenticate']).toBe('Bearer error="invalid_request"');
    expect(under.core.calls).toEqual([]);
  });

  it.each([
    ['TOKEN_MISSING', 401, 'Bearer'],
    ['TOKEN_INVALID', 401, 'Bearer error="invalid_token"'],
    ['SUBJECT_UNKNOWN', 401, 'Bearer error="invalid_token"'],
    ['INSUFFICIENT_SCOPE', 403, 'Bearer error="insufficient_scope", scope="openid"'],
    ['INVALID_REQUEST', 400, 'Bearer error="invalid_request"'],
    ['AUTHENTICATION_SERVICE_UNAVAILABLE', 503, undefined],
  ] as const)('returns %s as %d with the challenge %s', async (reason, status, challenge) => {
    under.core.respond(rpc, refused(reason));
    const response = await get({ authorization: 'Bearer a' });
    expect([response.statusCode, response.headers['www-authenticate']]).toEqual([status, challenge]);
    expect(response.headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
    expect(response.json()).toEqual({ error: expect.any(String), error_description: expect.any(String) });
  });
});

it.each(['token', 'par', 'userinfo'])('has the same errors for %s in Profile B', async (path) => {
  under = await sharedGateway({ 'app.security.auth-profile': 'B' });
  const response = await post(path, 'a=%zz', { 'content-type': 'text/plain' });
  expect([response.statusCode, response.json().error]).toEqual([400, 'invalid_request']);
});
