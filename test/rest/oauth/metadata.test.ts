// What the metadata says, what CORS allows, and what is there when the OpenID provider is off.
import { describe, expect, it } from 'vitest';
import { ON_SQLITE } from '../../support/deployment.ts';
import { ISSUER, openedService } from '../../support/oauth/service.ts';

const BASE = `${ISSUER}/api/v1/auth`;
const LISTED = 'https://shop.example.com';
const METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'];

describe.each(ON_SQLITE)('$engine over $transport', (kind) => {
  const service = openedService({ ...kind, settings: { 'app.http.cors.allowed-origins': LISTED } });

  it('the metadata has every member of the contract, at both places', async () => {
    const expected = {
      issuer: ISSUER,
      authorization_endpoint: `${BASE}/oauth2/authorize`,
      token_endpoint: `${BASE}/oauth2/token`,
      userinfo_endpoint: `${BASE}/oauth2/userinfo`,
      pushed_authorization_request_endpoint: `${BASE}/oauth2/par`,
      device_authorization_endpoint: `${BASE}/oauth2/device`,
      end_session_endpoint: `${BASE}/oauth2/end-session`,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
      introspection_endpoint: `${BASE}/introspect`,
      revocation_endpoint: `${BASE}/revoke`,
      jwks_uri: `${ISSUER}/.well-known/jwks.json`,
      scopes_supported: ['openid', 'profile', 'email', 'roles', 'groups', 'tenant', 'offline_access'],
      claims_supported: expect.arrayContaining(['sub', 'name', 'email', 'email_verified', 'groups', 'roles', 'acr']),
      grant_types_supported: expect.arrayContaining(['authorization_code', 'refresh_token', 'client_credentials']),
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      subject_types_supported: ['public'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: [...METHODS, 'none'],
      introspection_endpoint_auth_methods_supported: METHODS,
      revocation_endpoint_auth_methods_supported: expect.arrayContaining(METHODS),
      token_endpoint_auth_signing_alg_values_supported: expect.arrayContaining(['ES256', 'EdDSA', 'RS256', 'PS256']),
      id_token_signing_alg_values_supported: expect.arrayContaining(['RS256', 'ES256']),
      acr_values_supported: expect.arrayContaining(['mfa', 'phr']),
      prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
      ui_locales_supported: expect.arrayContaining(['en', 'de']),
      require_pushed_authorization_requests: false,
      authorization_response_iss_parameter_supported: true,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
      claims_parameter_supported: false,
    };
    for (const name of ['openid-configuration', 'oauth-authorization-server']) {
      const { status, body } = await service.send('GET', `${ISSUER}/.well-known/${name}`);
      expect(status).toBe(200);
      expect(body).toMatchObject(expected);
    }
  });

  it('the endpoints for scripts allow any origin, without credentials', async () => {
    const { metadata } = service;
    const origin = 'https://spa.example.com';
    const names = [
      'token',
      'userinfo',
      'pushed_authorization_request',
      'device_authorization',
      'introspection',
      'revocation',
    ];
    const urls = [...names.map((name) => metadata[`${name}_endpoint`]), metadata['jwks_uri']];
    for (const url of [...urls, `${ISSUER}/.well-known/openid-configuration`]) {
      const method = url.includes('.well-known') || url.includes('userinfo') ? 'GET' : 'POST';
      const actual = await service.send(method, url, {
        headers: { origin, ...(method === 'POST' && { 'content-type': 'application/x-www-form-urlencoded' }) },
      });
      const preflight = await service.send('OPTIONS', url, {
        headers: {
          origin,
          'access-control-request-method': method,
          'access-control-request-headers': 'authorization,content-type',
        },
      });
      for (const { headers } of [actual, preflight]) {
        expect([url, headers.get('access-control-allow-origin')]).toEqual([url, '*']);
        expect(headers.has('access-control-allow-credentials')).toBe(false);
      }
      expect(preflight.status).toBeLessThan(300);
      expect(preflight.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('authorization');
    }
  });

  it('authorize allows no origin, not even a listed one', async () => {
    const url = service.metadata['authorization_endpoint'] as string;
    for (const origin of ['https://spa.example.com', LISTED])
      for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
        const { headers } = await service.send(method, url, {
          headers: { origin, 'access-control-request-method': 'GET' },
        });
        const names = [...headers.keys()].filter((name) => name.startsWith('access-control-'));
        expect([origin, method, names]).toEqual([origin, method, []]);
      }
  });
});

describe.each(ON_SQLITE)('without the OpenID provider, $engine over $transport', (kind) => {
  const service = openedService({ ...kind, settings: { 'app.oauth.enabled': 'false', 'app.http.pages': 'true' } });

  it.each([
    ['GET', '/auth/oauth2/authorize?client_id=x'],
    ['POST', '/auth/oauth2/authorize'],
    ['GET', '/auth/oauth2/end-session'],
    ['POST', '/auth/oauth2/end-session'],
    ['POST', '/auth/oauth2/logout-requests/x'],
    ['POST', '/auth/oauth2/token'],
    ['GET', '/auth/oauth2/userinfo'],
    ['POST', '/auth/oauth2/par'],
    ['GET', '/auth/oauth2/requests/x'],
    ['POST', '/auth/oauth2/requests/x'],
    ['GET', '/account/grants'],
    ['DELETE', '/account/grants/x'],
    ['GET', '/users/x/grants'],
  ])('%s %s is 404, and allows no origin', async (method, path) => {
    const root = await service.root();
    const response = await service.send(method, `${ISSUER}/api/v1${path}`, {
      headers: { origin: 'https://spa.example.com', ...root.headers },
    });
    expect([response.status, response.body.errorCode]).toEqual([404, 'not-found']);
    expect(response.headers.has('access-control-allow-origin')).toBe(false);
  });

  it('the metadata is that of machine clients', async () => {
    const { metadata } = service;
    expect(
      Object.keys(metadata).filter((name) => /authorization|userinfo|pushed|prompt|scopes|pkce/.test(name)),
    ).toEqual([]);
    expect([
      metadata['token_endpoint'],
      metadata['response_types_supported'],
      metadata['grant_types_supported'],
    ]).toEqual([`${BASE}/token`, ['none'], ['client_credentials']]);
  });

  it('a page keeps no opener', async () => {
    const { status, headers } = await service.send('GET', `${ISSUER}/login?request=x`);
    expect([status, headers.get('cross-origin-opener-policy')]).toEqual([200, 'same-origin']);
  });
});
