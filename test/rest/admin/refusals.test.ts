// Refusals of administrators' acts name the role, the permissions, or the state that is in the way.
import { describe, expect, it } from 'vitest';
import { FINDINGS } from '../../../src/auth/access/findings.ts';
import { REFUSALS } from '../../../src/auth/access/refusals.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import { caller } from '../../support/callers.ts';
import { ON_SQLITE } from '../../support/deployment.ts';
import { mailFolder } from '../../support/mails.ts';
import type { RestResponse } from '../../support/rest-client.ts';
import { newUser, openAdministration } from './administration.ts';

describe.each(ON_SQLITE)('$engine over $transport', (kind) => {
  const acme = openAdministration({ ...kind, settings: mailFolder().settings });
  const refused = ({ status, body }: RestResponse) => [status, body.detail];
  const violation = ({ status, body }: RestResponse) => {
    const [{ message, ...only }] = body.violations;
    return [status, body.detail === message, body.violations.length, only];
  };
  const email = () => `${newId()}@mail.test`;

  it('name the role that the caller cannot grant', async () => {
    const detail = [403, 'You cannot grant the role SUPER_ADMIN'];
    expect(refused(await acme.admin.post('/users', newUser({ roles: ['SALES', 'SUPER_ADMIN'] })))).toEqual(detail);
    const { id } = await acme.world.seed();
    expect(refused(await acme.admin.put(`/users/${id}/roles`, { roles: ['SUPER_ADMIN'] }))).toEqual(detail);
  });

  it('have the code of what is in the way, its parameters and the field of it', async () => {
    const { admin, root } = acme;
    const { id, username } = await acme.world.seed({ email: email() });
    const disabled = await acme.world.seed({ disabled: true, email: email() });
    const { id: own } = (await admin.get('/auth/me')).body;
    const role = `R_${newId().replaceAll('-', '').slice(0, 12)}`.toUpperCase();
    expect((await admin.post('/roles', { name: role, permissions: [], inherits: [] })).status).toBe(201);
    const heir = `${role}_HEIR`;
    expect((await admin.post('/roles', { name: heir, permissions: [], inherits: [role] })).status).toBe(201);
    const held = await acme.world.seed({ roles: [heir] });
    const account = (await admin.post('/service-accounts', { clientId: newId(), name: 'x', roles: ['SALES'] })).body;
    const secrets = `/service-accounts/${account.serviceAccount.id}/secrets`;
    const second = await admin.post(secrets, { expiresAt: '2999-01-01T00:00:00Z' });
    expect([second.status, held.id]).toEqual([201, expect.any(String)]);
    const tenantId = `t-${newId()}`;
    expect((await root.post('/tenants', { tenantId, name: 'T' })).status).toBe(201);
    const domain = `${newId()}.test`;
    expect((await root.put(`/tenants/${tenantId}/login-domains`, { loginDomains: [domain] })).status).toBe(200);
    expect((await root.post('/signing-keys/rotate', {})).status).toBe(200);

    const cases: readonly (readonly [RestResponse, number, object])[] = [
      [await admin.post('/users', newUser({ username })), 409, { format: 'usernameTaken', props: ['username'] }],
      [
        await admin.post('/service-accounts', { clientId: username, name: 'x', roles: ['SALES'] }),
        409,
        { format: 'clientIdTaken', props: ['clientId'] },
      ],
      [await admin.post(`/users/${own}/disable`), 409, { format: 'ownAccount', params: { act: 'disable' } }],
      [
        await root.post(`/users/${disabled.id}/recovery`),
        409,
        { format: 'userCannotLogIn', params: { finding: 'ACCOUNT_DISABLED' } },
      ],
      [await admin.post(`/users/${id}/access-code`, { minutes: 5 }), 409, { format: 'userHasNoFactor' }],
      [await admin.post(secrets), 409, { format: 'twoSecrets', params: { until: '2999-01-01T00:00:00.000Z' } }],
      [
        await admin.post('/roles', { name: role, permissions: [], inherits: [] }),
        409,
        { format: 'roleNameTaken', props: ['name'] },
      ],
      [await admin.delete(`/roles/${role}`), 409, { format: 'roleInherited', params: { role } }],
      [await admin.delete(`/roles/${heir}`), 409, { format: 'roleHeld', params: { role: heir } }],
      [await root.post('/tenants', { tenantId, name: 'T' }), 409, { format: 'tenantIdTaken', props: ['tenantId'] }],
      [
        await root.put('/tenants/acme/login-domains', { loginDomains: [domain] }),
        409,
        { format: 'loginDomainTaken', props: ['loginDomains', '0'], params: { domain } },
      ],
      [
        await root.post('/signing-keys/rotate', {}),
        409,
        { format: 'signingKeyWaits', params: { until: expect.stringMatching(/^\d{4}-.*Z$/) } },
      ],
      [
        await admin.post('/users', newUser({ roles: ['SUPER_ADMIN'] })),
        403,
        { format: 'roleNotGrantable', props: ['roles'], params: { role: 'SUPER_ADMIN' } },
      ],
    ];
    for (const [response, status, only] of cases) expect(violation(response)).toEqual([status, true, 1, only]);
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

describe.each(ON_SQLITE)('minimal disclosure, $engine over $transport', (kind) => {
  const acme = openAdministration({ ...kind, settings: { 'app.api.error-disclosure.mode': 'minimal' } });

  it('has the general detail, and the code for administrators', async () => {
    const { username } = await acme.world.seed();
    const { status, body } = await acme.admin.post('/users', newUser({ username }));
    expect([status, body.detail, body.violations]).toEqual([
      409,
      'The state of the resource forbids this',
      [{ message: 'The username is taken', format: 'usernameTaken', props: ['username'] }],
    ]);
  });

  it('tells callers without a credential nothing', async () => {
    const { username } = await acme.world.seed({ disabled: true });
    const url = `${acme.world.deployment.url}/api/v1/auth`;
    for (const [path, json] of [
      ['/login', { username, password: 'wrong' }],
      ['/invitation/confirm', { token: 'x'.repeat(43), password: 'A long enough password' }],
      ['/recovery/confirm', { token: 'x'.repeat(43), newPassword: 'A long enough password' }],
    ] as const) {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(json) });
      expect(response.status).toBeGreaterThanOrEqual(400);
      const text = await response.text();
      for (const code of [...Object.keys(REFUSALS), ...Object.keys(FINDINGS)]) expect(text).not.toContain(`"${code}"`);
    }
  });
});
