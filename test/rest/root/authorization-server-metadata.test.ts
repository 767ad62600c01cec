// RFC 8414 metadata: endpoints below the issuer if it is a URL, else below the public URL, else below the requested host.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, ON_SQLITE, type Deployment, type DeploymentOptions } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { exchangeRaw } from '../../support/raw-http.ts';
import { restClient, type RestResponse } from '../../support/rest-client.ts';

const PATHS = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'] as const;
const ISSUER = 'https://auth.shop.test';

function expected(issuer: string, base: string, context = ''): unknown {
  const auth = `${base}${context}/api/v1/auth`;
  return {
    issuer,
    jwks_uri: `${base}/.well-known/jwks.json`,
    token_endpoint: `${auth}/token`,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    introspection_endpoint: `${auth}/introspect`,
    introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    revocation_endpoint: `${auth}/revoke`,
    revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    grant_types_supported: ['client_credentials'],
    response_types_supported: ['none'],
    subject_types_supported: ['public'],
    // No ID tokens are issued. OpenID Connect Discovery section 3 requires RS256.
    id_token_signing_alg_values_supported: ['ES256', 'RS256'],
    access_token_signing_alg_values_supported: ['ES256'],
  };
}

async function ask(
  settings: Record<string, string>,
  headers: Record<string, string> = {},
  path: string = PATHS[0],
): Promise<{ readonly response: RestResponse; readonly url: string }> {
  const deployment = await deploy({ engine: 'sqlite', transport: 'local', settings });
  try {
    return { response: await restClient(deployment.url).send('GET', path, { headers }), url: deployment.url };
  } finally {
    await deployment.close();
  }
}

describe.each(ON_SQLITE)('$engine over $transport', (kind: Pick<DeploymentOptions, 'engine' | 'transport'>) => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await deploy({ ...kind, settings: { 'app.security.jwt.issuer': ISSUER } });
  });
  afterAll(() => deployment?.close());

  it.each(PATHS)('%s: returns endpoints below the issuer, independent of the requested host', async (path) => {
    for (const headers of [{}, { 'x-forwarded-host': 'evil.test' }, { authorization: 'Bearer garbage' }]) {
      const response = await restClient(deployment.url).send('GET', `${path}?x=1`, { headers });
      expect([response.status, response.body]).toEqual([200, expected(ISSUER, ISSUER)]);
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
      // Cached only with a public URL: public-url.test.ts.
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('vary')).toBeNull();
    }
  });

  it('names endpoints that exist, with the methods and errors of OAuth', async () => {
    const rest = restClient(deployment.url);
    const { body } = await rest.send('GET', PATHS[0]);
    const served = (url: string) => new URL(url).pathname;
    expect((await rest.send('GET', served(body.jwks_uri))).body.keys).toHaveLength(1);
    for (const url of [body.token_endpoint, body.introspection_endpoint, body.revocation_endpoint]) {
      const response = await rest.send('POST', served(url));
      expect([url, response.status, response.body.error]).toEqual([url, 400, 'invalid_request']);
    }
  });

  it.each(['POST', 'PUT', 'DELETE'])('returns 405 for %s', async (method) => {
    const response = await restClient(deployment.url).send(method, PATHS[0]);
    expect(response).toEqual(problem(405, 'method-not-allowed', PATHS[0]));
  });
});

describe('an issuer that is a URL', () => {
  it.each<[issuer: string, contextPath: string, base: string]>([
    ['https://auth.shop.test/', 'any', 'https://auth.shop.test'],
    ['http://127.0.0.1:8080', 'any', 'http://127.0.0.1:8080'],
    ['https://shop.test/auth', 'any', 'https://shop.test/auth'],
    ['https://auth.shop.test', '/shop', 'https://auth.shop.test'],
    ['https://shop.test/shop', '/shop', 'https://shop.test'],
  ])('%s, context path %s', async (issuer, contextPath, base) => {
    const context = contextPath === 'any' ? '' : contextPath;
    const { response } = await ask({ 'app.security.jwt.issuer': issuer, 'app.http.context-path': contextPath });
    expect(response.body).toEqual(expected(issuer, base, context));
  });
});

describe('the metadata of an issuer with a path', () => {
  const [oauth, openid] = PATHS;
  type Case = [settings: { issuer: string; contextPath: string }, path: string, status: 200 | 404];

  const stripped = { issuer: 'https://shop.test/tenants/acme', contextPath: 'any' };
  const context = { issuer: 'https://shop.test/shop', contextPath: '/shop' };
  const both = { issuer: 'https://shop.test/eu/shop/', contextPath: '/shop' };
  const none = { issuer: 'https://shop.test', contextPath: 'any' };
  const name = { issuer: 'my-shop', contextPath: 'any' };

  it.each<Case>([
    [stripped, oauth, 200],
    [stripped, `${oauth}/tenants/acme`, 200],
    [stripped, `${openid}/tenants/acme?x=1`, 200],
    [stripped, `/tenants/acme${openid}`, 200],
    [stripped, `/tenants/acme${oauth}`, 200],
    [stripped, `/tenants/other${openid}`, 404],
    [stripped, `${oauth}/tenants`, 404],
    [stripped, `${oauth}/tenants/acme/`, 404],
    [stripped, `/tenants/acme${oauth}/tenants/acme`, 404],
    [context, oauth, 200],
    [context, `${oauth}/shop`, 200],
    [context, `/shop${openid}`, 200],
    [context, `/other${openid}`, 404],
    [both, `/shop${openid}`, 200],
    [both, `/eu/shop${openid}`, 200],
    [both, `${oauth}/eu/shop`, 200],
    [none, oauth, 200],
    [none, `${oauth}/`, 404],
    [none, `/any${openid}`, 404],
    [none, `//shop.test${openid}`, 404],
    [name, `${oauth}/my-shop`, 404],
  ])('%o: GET %s returns %i', async ({ issuer, contextPath }, path, status) => {
    const settings = { 'app.security.jwt.issuer': issuer, 'app.http.context-path': contextPath };
    const { response } = await ask(settings, {}, path);
    expect(response.status).toBe(status);
    if (status === 200) expect(response.body.issuer).toBe(issuer);
    else expect(response).toEqual(problem(404, 'not-found', path.split('?')[0]!));
  });

  it('returns 405 for any other method than GET, with the requested path', async () => {
    const deployment = await deploy({ engine: 'sqlite', transport: 'local' });
    try {
      const path = `/tenants/acme${openid}`;
      const response = await restClient(deployment.url).send('DELETE', path);
      expect(response).toEqual(problem(405, 'method-not-allowed', path));
    } finally {
      await deployment.close();
    }
  });
});

describe('an issuer that is not a URL', () => {
  it.each(['my-shop', 'urn:shop:auth', 'https://shop.test/?a=1', 'https://shop.test/#a', 'https://u:p@shop.test'])(
    '%s: lists the endpoints below the requested host, for no cache',
    async (issuer) => {
      const { response, url } = await ask({
        'app.security.jwt.issuer': issuer,
        'app.http.cors.allowed-origins': 'none',
      });
      expect(response.body).toEqual(expected(issuer, url));
      expect(response.headers.get('cache-control')).toBe('no-store');
    },
  );

  it('trusts forwarded headers of trusted proxies only', async () => {
    const forwarded = { 'x-forwarded-host': 'auth.shop.test', 'x-forwarded-proto': 'https' };
    const direct = await ask({}, forwarded);
    expect(direct.response.body).toEqual(expected('my-shop', direct.url));
    const proxied = await ask({ 'app.http.trusted-proxies': '127.0.0.1' }, forwarded);
    expect(proxied.response.body).toEqual(expected('my-shop', 'https://auth.shop.test'));
  });

  it.each<[name: string, value: string]>([
    ['x-forwarded-host', 'evil.test/path'],
    ['x-forwarded-host', 'user@evil.test'],
    ['x-forwarded-host', 'evil.test?x'],
    ['x-forwarded-host', 'a b'],
    ['x-forwarded-host', 'evil.test:99999'],
    ['x-forwarded-proto', 'javascript'],
  ])('returns 400 for the %s "%s"', async (name, value) => {
    const { response } = await ask({ 'app.http.trusted-proxies': '127.0.0.1' }, { [name]: value });
    expect(response).toEqual(problem(400, 'validation-error', PATHS[0]));
    expect(response.headers.get('cache-control')).toBeNull();
  });

  it('returns 400 without a Host', async () => {
    const deployment = await deploy({ engine: 'sqlite', transport: 'local' });
    try {
      const [response] = await exchangeRaw(deployment.url, `GET ${PATHS[0]} HTTP/1.0\r\n\r\n`);
      expect(response?.status).toBe(400);
    } finally {
      await deployment.close();
    }
  });
});

it('the metadata lists the algorithms of all keys that verify tokens', async () => {
  const before = await deploy({ engine: 'sqlite', transport: 'local' });
  try {
    const after = await deploy({
      engine: 'sqlite',
      transport: 'grpc',
      databaseUrl: before.databaseUrl,
      settings: { 'app.security.jwt.algorithm': 'RS256' },
      clock: before.clock,
    });
    const { body } = await restClient(after.url).send('GET', PATHS[1]);
    await after.close();
    expect(body.access_token_signing_alg_values_supported.toSorted()).toEqual(['ES256', 'RS256']);
    expect(body.id_token_signing_alg_values_supported.toSorted()).toEqual(['ES256', 'RS256']);
  } finally {
    await before.close();
  }
});
