// POST /tenants/{id}/sessions/end, and sessions of deleted accounts.
import { describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { API, caller } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { restClient } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { openAdministration } from './administration.ts';

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const acme = openAdministration(kind);
  const me = async (token: string) => (await restClient(acme.world.deployment.url).me(token)).status;

  it('ends all sessions of the tenant, the own one last, and none of others', async () => {
    const tenantId = `t-${newId()}`;
    const admin = await caller(acme.world.deployment, { tenantId, roles: ['TENANT_ADMIN'] });
    const users = await Promise.all(Array.from({ length: 60 }, () => acme.world.seed({ tenantId })));
    const sessions = await Promise.all(users.map((user) => seedSession(acme.world.deployment, user)));
    const second = await seedSession(acme.world.deployment, users[0]!);
    const other = await seedSession(acme.world.deployment, await acme.world.seed());
    const path = `/tenants/${tenantId}/sessions/end`;
    for (const role of ['HELP_DESK', 'AUDITOR', 'MANAGER']) {
      const by = await caller(acme.world.deployment, { tenantId, roles: [role] });
      expect([role, (await by.post(path)).status]).toEqual([role, 403]);
    }
    const { status, body } = await admin.post(path);
    expect([status, body]).toEqual([200, { sessions: 65 }]);
    for (const { accessToken } of [...sessions, second]) expect(await me(accessToken)).toBe(401);
    expect((await admin.get('/account')).status).toBe(401);
    expect(await me(other.accessToken)).toBe(200);
    expect((await acme.root.get(`/sessions?tenantId=${tenantId}`)).body).toEqual([]);
    expect((await acme.root.post(path)).body).toEqual({ sessions: 0 });
  });

  it('returns 404 for another tenant, and for none', async () => {
    for (const [by, tenantId] of [
      [acme.admin, 'globex'],
      [acme.admin, 'missing'],
      [acme.root, 'missing'],
    ] as const) {
      const path = `/tenants/${tenantId}/sessions/end`;
      expect(await by.post(path)).toEqual(problem(404, 'not-found', API + path));
    }
  });

  it('lists and counts no sessions of a deleted account', async () => {
    const tenantId = `t-${newId()}`;
    const admin = await caller(acme.world.deployment, { tenantId, roles: ['TENANT_ADMIN'] });
    const user = await acme.world.seed({ tenantId });
    await seedSession(acme.world.deployment, user);
    expect((await admin.get('/sessions')).body).toHaveLength(2);
    expect((await admin.delete(`/users/${user.id}`)).status).toBe(204);
    const { body, headers } = await admin.get('/sessions');
    expect([body.length, headers.get('x-total-count')]).toEqual([1, '1']);
  });
});
