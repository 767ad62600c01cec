// The metadata of the OpenID provider (OpenID Connect Discovery section 3): whole, at both places, and absent where it is off.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../../src/auth/oauth/scopes.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { addGateway } from '../../support/gateways.ts';
import { restClient } from '../../support/rest-client.ts';

const PATHS = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'] as const;
const ISSUER = 'https://auth.shop.test';
const ON = { 'app.public-url': ISSUER };

const METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'];
const ASSERTIONS = ['ES256', 'EdDSA', 'RS256', 'PS256'];

function expected(issuer: string, origin: string, context = ''): Record<string, unknown> {
  const auth = `${origin}${context}/api/v1/auth`;
  return {
    issuer,
    jwks_uri: `${origin}/.well-known/jwks.json`,
    authorization_endpoint: `${auth}/oauth2/authorize`,
    token_endpoint: `${auth}/oauth2/token`,
    userinfo_endpoint: `${auth}/oauth2/userinfo`,
    pushed_authorization_request_endpoint: `${auth}/oauth2/par`,
    introspection_endpoint: `${auth}/introspect`,
    revocation_endpoint: `${auth}/revoke`,
    token_endpoint_auth_methods_supported: [...METHODS, 'none'],
    introspection_endpoint_auth_methods_supported: METHODS,
    revocation_endpoint_auth_methods_supported: [...METHODS, 'none'],
    token_endpoint_auth_signing_alg_values_supported: ASSERTIONS,
    introspection_endpoint_auth_signing_alg_values_supported: ASSERTIONS,
    revocation_endpoint_auth_signing_alg_values_supported: ASSERTIONS,
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    subject_types_supported: ['public'],
    scopes_supported: SCOPES,
    claims_supported: expect.arrayContaining(['sub', 'nonce', 'at_hash', 'sid', 'email_verified', 'groups', 'tenantName']),
    code_challenge_methods_supported: ['S256'],
    acr_values_supported: ['mfa', 'phr'],
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    ui_locales_supported: ['en', 'de'],
    id_token_signing_alg_values_supported: ['RS256', 'ES256'],
    access_token_signing_alg_values_supported: ['ES256'],
    require_pushed_authorization_requests: false,
    authorization_response_iss_parameter_supported: true,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    claims_parameter_supported: false,
  };
}

const PLACES = [
  { url: ISSUER, origin: ISSUER, context: '', settings: {} },
  {
    url: 'https://shop.test/shop',
    origin: 'https://shop.test',
    context: '/shop',
    settings: { 'app.http.context-path': '/shop', 'app.security.auth-profile': 'B' },
  },
];

describe.each(PLACES.map((place, index) => ({ ...place, ...DIAGONAL[index % DIAGONAL.length]! })))(
  '$url, $engine over $transport',
  ({ url, origin, context, settings, ...kind }) => {
    let deployment: Deployment;
    beforeAll(async () => {
      deployment = await deploy({ ...kind, settings: { ...settings, 'app.public-url': url } });
    });
    afterAll(() => deployment?.close());

    it.each([...PATHS, ...PATHS.map((path) => context + path), ...PATHS.map((path) => path + context)])(
      '%s: names the endpoints and what they support',
      async (path) => {
        const { status, body, headers } = await restClient(deployment.url).send('GET', path);
        expect([status, headers.get('cache-control'), body]).toEqual([
          200,
          'max-age=300',
          expected(url, origin, context),
        ]);
      },
    );

    it('the key set has a key of RS256 beside that of access tokens', async () => {
      const { body } = await restClient(deployment.url).send('GET', '/.well-known/jwks.json');
      expect(body.keys).toMatchObject([
        { kty: 'EC', alg: 'ES256', use: 'sig' },
        { kty: 'RSA', alg: 'RS256', use: 'sig', e: 'AQAB' },
      ]);
      expect(Object.keys(body.keys[1]).toSorted()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
    });
  },
);

async function metadataOf({ url }: { readonly url: string }) {
  return (await restClient(url).send('GET', PATHS[1])).body;
}

describe('the algorithms', () => {
  it.each(['EdDSA', 'RS256'])('are RS256 alone for ID tokens, if access tokens have %s', async (algorithm) => {
    const settings = { ...ON, 'app.security.jwt.algorithm': algorithm };
    const deployment = await deploy({ engine: 'sqlite', transport: 'grpc', settings });
    try {
      expect(await metadataOf(deployment)).toMatchObject({
        id_token_signing_alg_values_supported: ['RS256'],
        access_token_signing_alg_values_supported: [algorithm],
      });
    } finally {
      await deployment.close();
    }
  });
});

describe('without the provider, the metadata is that of machine clients', () => {
  const machines = {
    token_endpoint: expect.stringMatching(/\/api\/v1\/auth\/token$/),
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    grant_types_supported: ['client_credentials'],
    response_types_supported: ['none'],
    id_token_signing_alg_values_supported: ['ES256', 'RS256'],
  };

  it.each<[name: string, settings: Record<string, string>]>([
    ['switched off', { ...ON, 'app.oauth.enabled': 'false' }],
    ['another issuer', { ...ON, 'app.security.jwt.issuer': 'https://other.shop.test' }],
    ['the issuer as audience', { ...ON, 'app.security.jwt.audience': ISSUER }],
    ['no pages', { ...ON, 'app.http.pages': 'false' }],
  ])('%s', async (_, settings) => {
    const deployment = await deploy({ engine: 'sqlite', transport: 'local', settings });
    try {
      const body = await metadataOf(deployment);
      expect(body).toMatchObject(machines);
      expect(body).not.toHaveProperty('authorization_endpoint');
      const { body: set } = await restClient(deployment.url).send('GET', '/.well-known/jwks.json');
      expect(set.keys).toHaveLength(1);
    } finally {
      await deployment.close();
    }
  });

  it('a gateway or a core that runs apart has it off', async () => {
    const on = await deploy({ engine: 'sqlite', transport: 'grpc', settings: ON });
    const off = await deploy({ engine: 'sqlite', transport: 'grpc' });
    const gateways = await Promise.all([
      addGateway(on, { ...ON, 'app.oauth.enabled': 'false' }),
      addGateway(off, ON),
      addGateway(on, ON),
    ]);
    try {
      const [closed, without, open] = await Promise.all(gateways.map(metadataOf));
      expect(closed).toMatchObject(machines);
      expect(without).toMatchObject(machines);
      expect(open).toEqual(expected(ISSUER, ISSUER));
    } finally {
      for (const gateway of gateways) await gateway.close();
      await off.close();
      await on.close();
    }
  });
});
