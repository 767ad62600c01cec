// API keys with several processes on one database: revocation, last use and the setting that disables them.
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ApiKeyServiceService } from '../../../proto/gen/authservice/apikey/v1/api_key_service.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { eventually } from '../../support/eventually.ts';
import { problem } from '../../support/problems.ts';
import { bearer, restClient } from '../../support/rest-client.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { refusal } from '../../support/rpc-outcomes.ts';
import { seedSession } from '../../support/sessions.ts';
import { administrator, administratorWith, ENABLED, meBy, pathOf, serviceAccount } from './api-keys.ts';
import type { ApiKeyAdministrator } from './api-keys.ts';

const ME = '/api/v1/auth/me';
const REFUSED = problem(401, 'unauthorized', ME, 'Unauthorized - Invalid or expired token');
const MISSING = problem(401, 'unauthorized', ME, 'Unauthorized - Missing or invalid token');

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let admin: ApiKeyAdministrator;

  beforeAll(async () => {
    deployment = await deploy({ ...kind, settings: ENABLED });
    admin = await administrator(deployment);
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  afterAll(() => deployment?.close());

  const holder = async (seed: Parameters<typeof serviceAccount>[1] = {}) => {
    const account = await serviceAccount(deployment, seed);
    const root = await administrator(deployment, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    const { keyId, apiKey } = (await root.issue(account)).body;
    return { account, keyId: keyId as string, apiKey: apiKey as string };
  };
  const set = (account: Account, assignment: string, value: number) =>
    deployment.database.execute(`UPDATE accounts SET ${assignment} = ? WHERE username = ?`, [
      value,
      Buffer.from(account.username),
    ]);
  const setTenant = (tenantId: string, status: 'ACTIVE' | 'SUSPENDED') =>
    deployment.database.execute('UPDATE tenants SET status = ? WHERE id = ?', [status, Buffer.from(tenantId)]);

  describe('across two processes on one database', () => {
    let other: Deployment;
    beforeAll(async () => {
      other = await deploy({
        ...kind,
        settings: ENABLED,
        databaseUrl: deployment.databaseUrl,
        clock: deployment.clock,
      });
    });
    afterAll(() => other?.close());

    it('a revocation works at once', async () => {
      const account = await serviceAccount(deployment);
      const late: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const { keyId, apiKey } = (await admin.issue(account)).body;
        const before = await meBy(other.url, apiKey);
        const revoked = await admin.revoke(account, keyId);
        const after = await meBy(other.url, apiKey);
        if (before.status !== 200 || revoked.status !== 204 || after.status !== 401) late.push(round);
      }
      expect(late).toEqual([]);
    });

    it('a disabled account and a suspended tenant are rejected at once', async () => {
      const { account, apiKey } = await holder({ tenantId: 'umbrella' });
      expect((await meBy(other.url, apiKey)).status).toBe(200);
      await set(account, 'disabled', 1);
      expect(await meBy(other.url, apiKey)).toEqual(REFUSED);
      await set(account, 'disabled', 0);
      await setTenant('umbrella', 'SUSPENDED');
      expect(await meBy(other.url, apiKey)).toEqual(REFUSED);
    });
  });

  describe('if API keys are disabled', () => {
    let off: Deployment;
    beforeAll(async () => {
      off = await deploy({ ...kind, databaseUrl: deployment.databaseUrl, clock: deployment.clock });
    });
    afterAll(() => off?.close());

    it('ignores the header everywhere, issues no key, and lists and revokes those that exist', async () => {
      const { account, apiKey, keyId } = await holder();
      const { accessToken } = await seedSession(deployment, admin.account);
      expect(await meBy(off.url, apiKey)).toEqual(MISSING);
      expect((await meBy(off.url, 'garbage', bearer(accessToken))).body).toMatchObject({ id: admin.account.id });
      const logout = await restClient(off.url).send('POST', '/api/v1/auth/logout', { headers: { 'x-api-key': 'x' } });
      expect(logout.status).toBe(200);
      const there = administratorWith(off.url, admin.account, bearer(accessToken));
      expect(await there.issue(account)).toMatchObject({
        status: 409,
        body: { errorCode: 'conflict', detail: expect.stringContaining('app.security.api-key.enabled') },
      });
      expect((await there.issue(account, { label: '' })).status).toBe(400);
      expect((await there.issue(admin.account)).body.errorCode).toBe('principal-not-eligible');
      const issueByRpc = off
        .client(ApiKeyServiceService)
        .issueApiKey({ serviceAccountId: account.id, label: 'by rpc' }, { authorization: [`Bearer ${accessToken}`] });
      expect((await refusal(issueByRpc)).reason).toBe('CONFLICT');
      expect((await there.list(account)).headers.get('x-total-count')).toBe('1');
      expect((await there.revoke(account, keyId)).status).toBe(204);
      const byKey = await restClient(off.url).send('GET', pathOf(account), { headers: { 'x-api-key': apiKey } });
      expect(byKey.status).toBe(401);
    });
  });

  it('records the last use outside the request, every 5 s and at the end of the process', async () => {
    const owner = await serviceAccount(deployment);
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const other = await deploy({
      ...kind,
      settings: ENABLED,
      databaseUrl: deployment.databaseUrl,
      clock: deployment.clock,
    });
    const { apiKey } = (await admin.issue(owner)).body;
    const lastUsed = async () => (await admin.list(owner)).body[0].lastUsedAt;
    const now = () => new Date(deployment.clock.now()).toISOString();
    await meBy(other.url, apiKey);
    expect(await lastUsed()).toBeUndefined();
    vi.advanceTimersByTime(5_000);
    vi.useRealTimers();
    const first = now();
    await eventually(async () => expect(await lastUsed()).toBe(first));

    deployment.clock.advance(1_000);
    const second = now();
    await meBy(other.url, apiKey);
    expect(await lastUsed()).toBe(first);
    deployment.clock.advance(1_000);
    await meBy(other.url, 'garbage');
    await other.close();
    expect(await lastUsed()).toBe(second);
  });
});
