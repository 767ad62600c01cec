// Refusals of administrators' acts name the role, the permissions, or the state that is in the way.
import { describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { caller } from '../../support/callers.ts';
import { ON_SQLITE } from '../../support/deployment.ts';
import { mailFolder } from '../../support/mails.ts';
import type { RestResponse } from '../../support/rest-client.ts';
import { newUser, openAdministration } from './administration.ts';

describe.each(ON_SQLITE)('$engine over $transport', (kind) => {
  const acme = openAdministration({ ...kind, settings: mailFolder().settings });
  const refused = ({ status, body }: RestResponse) => [status, body.detail];
  const email = () => `${newId()}@mail.test`;

  it('name the role that the caller cannot grant', async () => {
    const detail = [403, 'You cannot grant the role SUPER_ADMIN'];
    expect(refused(await acme.admin.post('/users', newUser({ roles: ['SALES', 'SUPER_ADMIN'] })))).toEqual(detail);
    const { id } = await acme.world.seed();
    expect(refused(await acme.admin.put(`/users/${id}/roles`, { roles: ['SUPER_ADMIN'] }))).toEqual(detail);
  });

  it('name the permissions that the caller lacks', async () => {
    const helper = await caller(acme.world.deployment, { roles: ['HELP_DESK'] });
    const { id } = await acme.world.seed({ roles: ['ADMIN'] });
    const [status, detail] = refused(await helper.post(`/users/${id}/unlock`));
    expect([status, detail]).toEqual([
      403,
      expect.stringMatching(/^The account holds permissions that you lack: \w+, /),
    ]);
  });

  it.each([
    ['without a password', { hasPassword: false }, 'The user has no password; invite it'],
    ['without an address', { email: undefined }, 'The user has no e-mail address'],
    ['that is disabled', { disabled: true }, 'The user cannot log in: the account is disabled'],
    ['without a tenant', { tenantId: undefined, roles: ['SUPER_ADMIN'] }, 'A SUPER_ADMIN cannot be recovered by mail'],
  ])('say why no recovery is sent to a user %s', async (_what, seed, detail) => {
    const { id } = await acme.world.seed({ email: email(), ...seed });
    expect(refused(await acme.root.post(`/users/${id}/recovery`))).toEqual([409, detail]);
  });

  it('say that the policy allows no recovery', async () => {
    const tenantId = `t-${newId()}`;
    const { id } = await acme.world.seed({ tenantId, email: email() });
    expect((await acme.root.patch(`/tenants/${tenantId}/policy`, { recovery: false })).status).toBe(200);
    expect(refused(await acme.root.post(`/users/${id}/recovery`))).toEqual([
      409,
      'The policy of the tenant allows no recovery by mail',
    ]);
  });
});
