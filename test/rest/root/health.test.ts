// Liveness and readiness differ if the database is down.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD, seedAccount } from '../../support/accounts.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { leaksOf } from '../../support/leaks.ts';
import { problem } from '../../support/problems.ts';
import { restClient, type RestClient } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';

const UP = { status: 'UP' };

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let rest: RestClient;
  beforeAll(async () => {
    deployment = await deploy(kind);
    rest = restClient(deployment.url);
  });
  afterAll(() => deployment?.close());

  it.each(['/health/live', '/health/ready'])(
    '%s: returns 200 without a credential, and forbids caching',
    async (path) => {
      for (const authorization of [undefined, 'Bearer garbage']) {
        const response = await rest.send('GET', `${path}?verbose=true`, {
          headers: { ...(authorization && { authorization }) },
        });
        expect([response.status, response.body]).toEqual([200, UP]);
        expect(response.headers.get('content-type')).toMatch(/^application\/json/);
        expect(response.headers.get('cache-control')).toBe('no-store');
      }
    },
  );
});

describe.each(['local', 'grpc'] as const)('health without the database, over %s', (transport) => {
  let deployment: Deployment;
  let rest: RestClient;
  beforeAll(async () => {
    deployment = await deploy({ engine: 'sqlite', transport });
    rest = restClient(deployment.url);
  });
  afterAll(() => deployment?.close());

  it('is live, but not ready, and returns Retry-After', async () => {
    const account = await seedAccount(deployment.database);
    const { accessToken, cookie } = await seedSession(deployment, account);
    await deployment.core.close();

    expect((await rest.send('GET', '/health/live')).body).toEqual(UP);
    const responses = [
      ['/health/ready', 'service-unavailable', await rest.send('GET', '/health/ready')],
      [
        '/api/v1/auth/login',
        'authentication-service-unavailable',
        await rest.login({ username: account.username, password: PASSWORD }),
      ],
      ['/api/v1/auth/refresh', 'authentication-service-unavailable', await rest.refresh(cookie)],
      ['/api/v1/auth/me', 'authentication-service-unavailable', await rest.me(accessToken)],
      ['/api/v1/auth/logout', 'authentication-service-unavailable', await rest.logout({ accessToken, cookie })],
    ] as const;
    for (const [instance, errorCode, response] of responses) {
      expect(response).toEqual(problem(503, errorCode, instance));
      expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(response.headers.getSetCookie()).toEqual([]);
      expect(response.headers.get('www-authenticate')).toBeNull();
      expect(leaksOf(response.text, [accessToken, cookie.split('=')[1]!])).toEqual([]);
    }
  });
});
