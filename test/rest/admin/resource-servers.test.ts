// Resource servers: who makes them, what they see, and that nobody else gets hold of them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seedAccount } from '../../support/accounts.ts';
import { caller, type Caller } from '../../support/callers.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { seedSession } from '../../support/sessions.ts';
import { ENABLED } from '../api-key/api-keys.ts';
import { INTROSPECT, tokenSender } from '../m2m/clients.ts';

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let root: Caller;
  let admin: Caller;
  let created = 0;

  beforeAll(async () => {
    deployment = await deploy({ ...kind, settings: ENABLED });
    root = await caller(deployment, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    admin = await caller(deployment, { tenantId: 'acme', roles: ['ADMIN'] });
  });
  afterAll(() => deployment?.close());

  const create = (by: Caller, resourceServer?: boolean) =>
    by.post('/service-accounts', {
      clientId: `api-${(created += 1)}-${process.pid}`,
      name: 'API',
      roles: ['TENANT_USER'],
      ...(by === root && { tenantId: 'acme' }),
      ...(resourceServer !== undefined && { resourceServer }),
    });
  const resourceServer = async () => (await create(root, true)).body;
  const codeOf = ({ status, body }: { status: number; body: { errorCode?: string } }) => [status, body.errorCode];

  it('only a SUPER_ADMIN creates one', async () => {
    expect(codeOf(await create(admin, true))).toEqual([403, 'permission-denied']);
    const plain = await create(admin, false);
    expect(plain.status).toBe(201);
    expect(plain.body.serviceAccount).not.toHaveProperty('resourceServer');
    const { serviceAccount } = await resourceServer();
    expect(serviceAccount).toMatchObject({ tenantId: 'acme', resourceServer: true });
    expect((await admin.get(`/service-accounts/${serviceAccount.id}`)).body.resourceServer).toBe(true);
    const list = await admin.get(`/service-accounts?query=${serviceAccount.clientId}`);
    expect(list.body).toMatchObject([{ resourceServer: true }]);
    expect((await create(root, 'yes' as unknown as boolean)).status).toBe(400);
  });

  it('only a SUPER_ADMIN makes one of a service account, or takes it away', async () => {
    const { id } = (await create(admin)).body.serviceAccount;
    const path = `/service-accounts/${id}`;
    expect(codeOf(await admin.patch(path, { resourceServer: true }))).toEqual([403, 'permission-denied']);
    expect((await admin.patch(path, { name: 'Renamed', resourceServer: false })).body.name).toBe('Renamed');
    expect((await root.patch(path, { resourceServer: true })).body.resourceServer).toBe(true);
    expect(codeOf(await admin.patch(path, { resourceServer: false }))).toEqual([403, 'permission-denied']);
    expect((await root.patch(path, { resourceServer: false })).body).not.toHaveProperty('resourceServer');
    expect((await admin.patch(path, { name: '' })).status).toBe(400);
    const other = await caller(deployment, { tenantId: 'globex', roles: ['ADMIN'] });
    expect((await other.patch(path, { name: 'x' })).status).toBe(404);
  });

  it('an administrator of its tenant does not get its credentials', async () => {
    const { serviceAccount } = await resourceServer();
    const path = `/service-accounts/${serviceAccount.id}`;
    const denied = [
      admin.post(`${path}/secrets`, {}),
      admin.post(`${path}/api-keys`, { label: 'mine' }),
      admin.post(`${path}/secrets/${serviceAccount.secrets[0].id}/expire`, {}),
      admin.post(`${path}/disable`),
      admin.post(`${path}/enable`),
      admin.patch(path, { name: 'x' }),
    ];
    for (const response of denied) expect(codeOf(await response)).toEqual([403, 'permission-denied']);
    expect((await root.post(`${path}/secrets`, {})).status).toBe(201);
    expect((await root.post(`${path}/api-keys`, { label: 'ours' })).status).toBe(201);
  });

  it('introspects tokens of every tenant, others those of their own', async () => {
    const { serviceAccount, clientSecret } = await resourceServer();
    const plain = (await create(admin)).body;
    const foreign = await seedAccount(deployment.database, { tenantId: 'globex' });
    const { accessToken } = await seedSession(deployment, foreign);
    const introspect = async (id: string, secret: string) =>
      (await tokenSender(deployment.url, INTROSPECT).byForm(accessToken, { id, secret })).body;
    expect(await introspect(plain.serviceAccount.clientId, plain.clientSecret)).toEqual({ active: false });
    const seen = await introspect(serviceAccount.clientId, clientSecret);
    expect(seen).toMatchObject({ active: true, tenantId: 'globex', sub: foreign.id });
    await root.patch(`/service-accounts/${serviceAccount.id}`, { resourceServer: false });
    expect(await introspect(serviceAccount.clientId, clientSecret)).toEqual({ active: false });
  });

  it('the audit log says who made one', async () => {
    const { serviceAccount } = await resourceServer();
    await root.patch(`/service-accounts/${serviceAccount.id}`, { resourceServer: false });
    const records = await root.get(`/audit-records?accountId=${serviceAccount.id}`);
    const details = records.body.map((one: { event: string; details: object }) => ({
      event: one.event,
      ...one.details,
    }));
    expect(details).toContainEqual({ event: 'account.updated', fields: 'resourceServer', resourceServer: 'false' });
    expect(details).toContainEqual({ event: 'account.created', roles: 'TENANT_USER', resourceServer: 'true' });
  });
});
