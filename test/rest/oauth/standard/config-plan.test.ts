// The only module of the OpenID Foundation's "config" plan, oidcc-discovery-endpoint-verification: the discovery document and the keys.
import { createPublicKey } from 'node:crypto';
import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../../support/argon2.ts';
import { createParty, someoneAt } from '../../../support/oauth/party.ts';
import { PROVIDERS_ON_SQLITE } from '../../../support/oauth/providers.ts';
import type { Provider } from '../../../support/oauth/provider.ts';

rememberPasswords();

describe.each(PROVIDERS_ON_SQLITE)('config plan, discovery-endpoint-verification: $name', ({ open }) => {
  let provider: Provider;
  beforeAll(async () => {
    provider = await open();
  });
  afterAll(() => provider?.close());

  const keysOf = async (): Promise<Record<string, string>[]> =>
    (await provider.send('GET', provider.metadata['jwks_uri'])).body.keys;

  it('the metadata is JSON at the well-known place of the issuer', async () => {
    const response = await provider.send('GET', `${provider.issuer}/.well-known/openid-configuration`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(response.body.issuer).toBe(provider.issuer);
  });

  it('the metadata has every required member', () => {
    expect(provider.metadata).toMatchObject({
      issuer: provider.issuer,
      subject_types_supported: ['public'],
      response_types_supported: expect.arrayContaining(['code']),
      id_token_signing_alg_values_supported: expect.arrayContaining(['RS256']),
      scopes_supported: expect.arrayContaining(['openid']),
      claims_supported: expect.arrayContaining(['sub']),
    });
  });

  it.each([
    'authorization_endpoint',
    'token_endpoint',
    'userinfo_endpoint',
    'jwks_uri',
    'introspection_endpoint',
    'revocation_endpoint',
    'pushed_authorization_request_endpoint',
  ])('%s is below the issuer, without query and fragment', (name) => {
    const url = provider.metadata[name] as string;
    expect(url.startsWith(`${provider.issuer}/`)).toBe(true);
    expect(url).not.toMatch(/[?#]/);
  });

  it('the metadata names what the service does', () => {
    expect(provider.metadata).toMatchObject({
      code_challenge_methods_supported: expect.arrayContaining(['S256']),
      authorization_response_iss_parameter_supported: true,
      grant_types_supported: expect.arrayContaining(['authorization_code', 'refresh_token']),
      token_endpoint_auth_methods_supported: expect.arrayContaining([
        'client_secret_basic',
        'client_secret_post',
        'private_key_jwt',
        'none',
      ]),
    });
    // Absent means true for `request_uri_parameter_supported` alone.
    expect(provider.metadata['request_parameter_supported'] ?? false).toBe(false);
    expect(provider.metadata['request_uri_parameter_supported']).toBe(false);
  });

  it('the key set has no private part, unique ids, and strong keys', async () => {
    const keys = await keysOf();
    const ids = keys.map(({ kid }) => kid);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).not.toContain(undefined);
    for (const key of keys) {
      for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k', 'oth']) expect(key).not.toHaveProperty(secret);
      expect(key).toMatchObject({ use: 'sig', alg: expect.any(String) });
      const { asymmetricKeyDetails } = createPublicKey({ key, format: 'jwk' });
      expect(key['kty'] === 'EC' || asymmetricKeyDetails!.modulusLength! >= 2048).toBe(true);
    }
  });

  it('the key set has the key of an ID token, by its id and algorithm', async () => {
    const party = await createParty(provider);
    const { tokens } = await someoneAt(party);
    const { kid, alg } = decodeProtectedHeader(tokens.idToken);
    expect(await keysOf()).toContainEqual(expect.objectContaining({ kid, alg }));
  });
});
