// /audit-records: responses by status.
import { describe, expect, it } from 'vitest';
import { DIAGONAL } from '../../support/deployment.ts';
import { ID, newUser, openAdministration, pagingOf, TIME } from './administration.ts';

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const acme = openAdministration(kind);

  it('GET /audit-records: returns filtered events with their details, newest first', async () => {
    const { id } = (await acme.admin.post('/users', newUser())).body;
    await acme.admin.put(`/users/${id}/roles`, { roles: ['MANAGER'] });
    const list = await acme.admin.get(`/audit-records?accountId=${id}`);
    expect(pagingOf(list)).toEqual([2, 1, 20]);
    expect(list.body[0]).toEqual({
      id: ID,
      tenantId: 'acme',
      at: TIME,
      event: 'account.roles-changed',
      accountId: id,
      username: expect.any(String),
      actorId: acme.admin.account.id,
      causedBy: { id: acme.admin.account.id, username: acme.admin.account.username },
      sessionId: ID,
      clientAddress: '127.0.0.1',
      requestId: expect.any(String),
      details: { from: 'SALES,FLORIST', to: 'MANAGER', sessionsEnded: 0 },
    });
    const count = async (query: string) => pagingOf(await acme.admin.get(`/audit-records?accountId=${id}${query}`))[0];
    expect(await count('&events=account.created')).toBe(1);
    expect(await count('&events=account.created&events=account.roles-changed')).toBe(2);
    expect(await count(`&actorId=${acme.admin.account.id}&from=2020-01-01`)).toBe(2);
    expect(await count('&until=2020-01-01T00:00:00Z')).toBe(0);
    for (const bad of ['accountId=x', 'from=yesterday', `events=${Array(52).join('&events=')}`, 'tenantId=No%20Slug']) {
      expect([bad, (await acme.admin.get(`/audit-records?${bad}`)).status]).toEqual([bad, 400]);
    }
  });
});
