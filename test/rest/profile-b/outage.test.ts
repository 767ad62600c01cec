// Profile B under load and in outages: 429, 500 and 503, and the paths with its error format.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD, seedAccount } from '../../support/accounts.ts';
import { authError } from '../../support/auth-errors.ts';
import { ofThisRun, SERVER_ENGINE } from '../../support/databases.ts';
import { deploy, type Deployment } from '../../support/deployment.ts';
import { leaksOf } from '../../support/leaks.ts';
import { problem } from '../../support/problems.ts';
import { tokenClient } from '../../support/token-client.ts';

const AUTH = '/api/v1/auth';
const LOGIN = `${AUTH}/login`;
const REFRESH = `${AUTH}/refresh`;
const ME = `${AUTH}/me`;
const LOGOUT = `${AUTH}/logout`;

describe.each(
  ofThisRun([
    { engine: 'sqlite', transport: 'grpc', mode: 'maximal' },
    { engine: SERVER_ENGINE, transport: 'local', mode: 'minimal' },
  ]),
)('$mode: $engine over $transport', ({ engine, transport, mode }) => {
  describe('503 AUTH_SERVICE_UNAVAILABLE and 500 INTERNAL_ERROR', () => {
    let broken: Deployment;
    beforeAll(async () => {
      broken = await deploy({
        engine,
        transport,
        settings: {
          'app.security.auth-profile': 'B',
          'app.api.error-disclosure.mode': mode,
          'app.security.password.max-concurrent-hashes': '1',
          'app.security.password.max-queued': '0',
        },
      });
    });
    afterAll(() => broken?.close());

    it('returns 503 with Retry-After if the queue of password hashes is full', async () => {
      const accounts = await Promise.all(Array.from({ length: 6 }, () => seedAccount(broken.database)));
      const client = tokenClient(broken.url);
      const responses = await Promise.all(
        accounts.map(({ username }) => client.login({ username, password: PASSWORD })),
      );
      const refused = responses.filter(({ status }) => status !== 200);
      expect(refused.length).toBeGreaterThan(0);
      for (const response of refused) {
        expect(response).toEqual(authError(503, 'AUTH_SERVICE_UNAVAILABLE', LOGIN));
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
      }
    });

    it("returns 500 without the database's message if the schema is broken", async () => {
      const own = await seedAccount(broken.database);
      const client = tokenClient(broken.url);
      const { accessToken, refreshToken } = await client.open(own.username);
      // For good: it is the last test on this database.
      await broken.database.execute('DROP TABLE session_families');
      await broken.database.execute('DROP TABLE login_decoys');
      const responses = [
        [REFRESH, await client.refresh(refreshToken)],
        [LOGOUT, await client.logout(accessToken)],
        [LOGIN, await client.login({ username: own.username, password: PASSWORD })],
      ] as const;
      for (const [path, response] of responses) {
        expect(response).toEqual(authError(500, 'INTERNAL_ERROR', path));
        expect(leaksOf(response.text)).toEqual([]);
        expect(response.text).not.toContain('session_families');
      }
    });
  });
});

describe.each(['maximal', 'minimal'] as const)('429 TOO_MANY_REQUESTS: %s', (mode) => {
  it('returns 429 with Retry-After for logins', async () => {
    const deployment = await deploy({
      engine: 'sqlite',
      transport: 'grpc',
      settings: {
        'app.security.auth-profile': 'B',
        'app.api.error-disclosure.mode': mode,
        'app.security.login.rate-limit.store': 'memory',
        'app.security.login.rate-limit.points': '1',
      },
    });
    try {
      const rest = tokenClient(deployment.url);
      const { username } = await seedAccount(deployment.database);
      expect((await rest.login({ username, password: 'wrong' })).status).toBe(401);
      const response = await rest.login({ username, password: PASSWORD });
      expect(response).toEqual(authError(429, 'TOO_MANY_REQUESTS', LOGIN));
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    } finally {
      await deployment.close();
    }
  });
});

describe('a context path', () => {
  it('is part of the endpoints and of the instance in errors', async () => {
    const deployment = await deploy({
      engine: 'sqlite',
      transport: 'local',
      settings: { 'app.security.auth-profile': 'B', 'app.http.context-path': '/shop' },
    });
    try {
      const rest = tokenClient(deployment.url, `/shop${AUTH}`);
      const { username } = await seedAccount(deployment.database);
      expect((await rest.open(username)).accessToken).toEqual(expect.any(String));
      expect(await rest.me()).toEqual(authError(401, 'AUTH_TOKEN_MISSING', `/shop${ME}`));
      expect(await rest.send('GET', `/shop${AUTH}/x`)).toEqual(authError(404, 'NOT_FOUND', `/shop${AUTH}/x`));
      expect(await rest.send('GET', ME)).toEqual(problem(404, 'not-found', ME));
    } finally {
      await deployment.close();
    }
  });
});
