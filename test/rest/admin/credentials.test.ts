// /credentials/explain: responses by status.
import { describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
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

  it('has the code and the parameters of each finding', async () => {
    const locked = await acme.world.seed({ lockedUntil: Date.UTC(2999, 0, 1) });
    const codesOf = async (username: string) =>
      Object.fromEntries(
        (await acme.admin.post('/credentials/explain', { username })).body.checks.map(
          ({ kind: name, code, params }: Record<string, unknown>) => [name, [code, params]],
        ),
      );
    expect(await codesOf(locked.username)).toMatchObject({
      FORM: ['USERNAME_WELL_FORMED', {}],
      EXISTENCE: ['USERNAME_FOUND', { account: locked.id }],
      TENANT: ['TENANT_ACTIVE', { tenant: 'acme' }],
      ACCOUNT: [
        'ACCOUNT_LOCKED',
        {
          until: '2999-01-01T00:00:00.000Z',
          lockMaxFailures: expect.stringMatching(/^\d+$/),
          lockMaxFailuresSource: expect.stringMatching(/^app\./),
        },
      ],
      EXPIRY: ['PASSWORD_NOT_EXPIRED', {}],
      POLICY: ['POLICY_VALUES', { secondFactor: 'OPTIONAL' }],
    });
    const disabled = await acme.world.seed({ disabled: true });
    expect(await codesOf(disabled.username)).toMatchObject({ ACCOUNT: ['ACCOUNT_DISABLED', {}] });
    expect(await codesOf(newId())).toMatchObject({ EXISTENCE: ['USERNAME_UNKNOWN', {}] });
    expect(await codesOf('x'.repeat(300))).toMatchObject({ FORM: ['USERNAME_MALFORMED', { minimum: '1' }] });
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
