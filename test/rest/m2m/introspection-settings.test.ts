// Token introspection for clients without a tenant, in an outage, with rate limits and without API keys.
import { describe, expect, it } from 'vitest';
import { seedAccount } from '../../support/accounts.ts';
import { deploy } from '../../support/deployment.ts';
import { seedSession } from '../../support/sessions.ts';
import { administrator, ENABLED } from '../api-key/api-keys.ts';
import { INTROSPECT, seedClient, tokenClient, tokenSender } from './clients.ts';
import { formError, jsonError } from './oauth-errors.ts';

const INACTIVE = { active: false };

describe.each(['local', 'grpc'] as const)('over %s', (transport) => {
  it('returns the tokens of every tenant to a client without a tenant', async () => {
    const settings = { 'app.tenancy.isolation': 'false' };
    const deployment = await deploy({ engine: 'sqlite', transport, settings });
    try {
      const client = await seedClient(deployment.database, { tenantId: undefined });
      const introspection = tokenSender(deployment.url, INTROSPECT);
      for (const tenantId of ['acme', 'globex', undefined]) {
        const account = await seedAccount(deployment.database, {
          tenantId,
          ...(tenantId === undefined && { roles: ['SUPER_ADMIN'] }),
        });
        const { accessToken } = await seedSession(deployment, account);
        const { body } = await introspection.byForm(accessToken, client);
        expect([body.active, body.sub, body.tenantId]).toEqual([true, account.id, tenantId]);
      }
    } finally {
      await deployment.close();
    }
  });

  it('returns 503 if the token cannot be checked, not inactive', async () => {
    const deployment = await deploy({ engine: 'sqlite', transport });
    try {
      const client = await seedClient(deployment.database);
      const introspection = tokenSender(deployment.url, INTROSPECT);
      const { accessToken } = await seedSession(deployment, await seedAccount(deployment.database));
      expect((await introspection.byForm(accessToken, client)).body).toMatchObject({ active: true });
      await deployment.core.close();
      const responses = [await introspection.byForm(accessToken, client), await introspection.byBasic('x.y.z', client)];
      for (const response of responses) {
        expect(response).toEqual(formError(503, 'temporarily_unavailable'));
        expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      }
      expect(await introspection.byJson(accessToken, client)).toEqual(
        jsonError(503, 'temporarily_unavailable', undefined, INTROSPECT),
      );
    } finally {
      await deployment.close();
    }
  });

  it('limits introspections separately from grants, but counts their refusals together', async () => {
    const deployment = await deploy({
      engine: 'sqlite',
      transport,
      settings: {
        'app.security.m2m.rate-limit.store': 'memory',
        'app.security.m2m.rate-limit.points': '3',
        'app.security.m2m.rate-limit.introspection-points': '5',
      },
    });
    try {
      const client = await seedClient(deployment.database);
      const introspection = tokenSender(deployment.url, INTROSPECT);
      const tokens = tokenClient(deployment.url);
      const statuses: number[] = [];
      for (let i = 0; i < 7; i += 1) statuses.push((await introspection.byForm('x', client)).status);
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
      const limited = await introspection.byBasic('x', client);
      expect(limited).toEqual(formError(429, 'temporarily_unavailable'));
      expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await tokens.byForm(client)).status).toBe(200);
      const wrong = { ...client, secret: 'wrong' };
      expect((await tokens.byForm(wrong)).status).toBe(401);
      expect((await introspection.byForm('x', wrong)).status).toBe(401);
      expect((await tokens.byForm(wrong)).status).toBe(401);
      expect((await introspection.byForm('x', wrong)).status).toBe(429);
    } finally {
      await deployment.close();
    }
  });
});

it('introspection returns inactive for API keys if API keys are disabled', async () => {
  const issuing = await deploy({ engine: 'sqlite', transport: 'local', settings: ENABLED });
  const { databaseUrl, clock } = issuing;
  const deployment = await deploy({ engine: 'sqlite', transport: 'local', databaseUrl, clock });
  try {
    const admin = await administrator(issuing);
    const client = await seedClient(deployment.database);
    const { apiKey } = (await admin.issue(client.account)).body;
    const response = await tokenSender(deployment.url, INTROSPECT).byForm(apiKey, client);
    expect([response.status, response.body]).toEqual([200, INACTIVE]);
  } finally {
    await deployment.close();
    await issuing.close();
  }
});
