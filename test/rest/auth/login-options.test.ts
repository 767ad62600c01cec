// What a login page offers, for every deployment of the pages.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { addGateway } from '../../support/gateways.ts';
import { restClient } from '../../support/rest-client.ts';
import { mailFolder } from '../../support/mails.ts';
import { clientsOf } from '../../support/world.ts';

const PATH = '/api/v1/auth/options';
const PUBLIC_URL = { 'app.public-url': 'https://auth.shop.test' };

describe.each(ON_SQLITE)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await deploy(kind);
  });
  afterAll(() => deployment?.close());

  it('returns the profile and the name of a service without passkeys and mail, and ignores credentials', async () => {
    for (const authorization of [undefined, 'Bearer garbage']) {
      const response = await restClient(deployment.url).send(
        'GET',
        PATH,
        authorization ? { headers: { authorization } } : {},
      );
      expect([response.status, response.body, response.headers.get('cache-control')]).toEqual([
        200,
        { profile: 'A', name: 'my-shop', passkeys: false, recovery: false },
        'public, max-age=60',
      ]);
    }
  });

  it('returns the same over gRPC, without the profile of a gateway', async () => {
    expect(await clientsOf(deployment).session.getLoginOptions({})).toEqual({
      name: 'my-shop',
      passkeys: false,
      recovery: false,
      apiKeys: false,
    });
  });

  it('returns profile B from a gateway with this profile', async () => {
    const gateway = await addGateway(deployment, { 'app.security.auth-profile': 'B' });
    try {
      const { body } = await restClient(gateway.url).send('GET', PATH);
      expect(body).toEqual({ profile: 'B', name: 'my-shop', passkeys: false, recovery: false });
    } finally {
      await gateway.close();
    }
  });
});

it.each([
  [{ ...PUBLIC_URL }, { passkeys: true, recovery: false }],
  [
    { ...PUBLIC_URL, 'app.security.passkeys.enabled': 'false' },
    { passkeys: false, recovery: false },
  ],
  [mailFolder().settings, { passkeys: true, recovery: true }],
  [{ 'app.security.api-key.enabled': 'true' }, { passkeys: false, recovery: false, apiKeys: true }],
])('with %j returns %j', async (settings, expected) => {
  const deployment = await deploy({ engine: 'sqlite', transport: 'local', settings });
  try {
    const { body } = await restClient(deployment.url).send('GET', PATH);
    expect(body).toEqual({ profile: 'A', name: 'my-shop', ...expected });
  } finally {
    await deployment.close();
  }
});
