// /credentials/explain: responses by status.
import { describe, expect, it } from 'vitest';
import { problem } from '../../support/problems.ts';
import { ON_SQLITE } from '../../support/deployment.ts';
import { API } from '../../support/callers.ts';
import { ID, openAdministration } from './administration.ts';

describe.each(ON_SQLITE)('$engine over $transport', (kind) => {
  const acme = openAdministration(kind);

  it('returns 200 with each check of a credential', async () => {
    const { username } = await acme.world.seed();
    const { status, body } = await acme.admin.post('/credentials/explain', { username });
    expect([status, body]).toMatchObject([200, { accepted: true, accountId: ID, tenantId: 'acme' }]);
    expect(body.checks[0]).toMatchObject({ kind: expect.stringMatching(/^[A-Z]+$/), passed: true });
    const unknown = await acme.admin.post('/credentials/explain', { bearerToken: 'x.y.z' });
    expect(unknown.body.accepted).toBe(false);
    expect('accountId' in unknown.body).toBe(false);
  });

  it.each([
    {},
    { username: 'a', clientId: 'b' },
    { username: '' },
    { username: null },
    { username: 1 },
    { password: 'x' },
    { username: 'a', id: 'b' },
  ])('returns 400 for %j', async (body) => {
    const response = await acme.admin.post('/credentials/explain', body);
    expect(response).toEqual(problem(400, 'validation-error', `${API}/credentials/explain`));
  });
});
