// POST /applications/{id}/preview: what an application would get for an account, and who may see it.
import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { caller, type Caller } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { newUser, openAdministration } from './administration.ts';

const FIELDS = { name: 'Wiki', type: 'SPA', redirectUris: ['https://wiki.example.com/callback'] };
const PATH = expect.stringMatching(/^\/api\/v1\/applications/) as unknown as string;

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const acme = openAdministration({ ...kind, settings: { 'app.security.api-key.enabled': 'true' } });
  let username: string;
  let globex: Caller;
  beforeAll(async () => {
    const { body } = await acme.admin.post('/users', newUser({ roles: ['SALES'] }));
    username = body.username;
    globex = await caller(acme.world.deployment, { tenantId: 'globex', roles: ['ADMIN'] });
  });
  const create = async (fields: object = {}): Promise<string> => {
    const { status, body } = await acme.admin.post('/applications', { ...FIELDS, ...fields });
    expect(status).toBe(201);
    return `/applications/${body.id}/preview`;
  };

  it('shows the claims, and stores nothing', async () => {
    const path = await create();
    const shown = await acme.admin.post(path, { username, scopes: ['openid', 'groups'] });
    expect(shown).toMatchObject({ status: 200, body: { outcome: 'ALLOWED', reasons: [] } });
    expect(shown.body.userinfo).toEqual({ sub: expect.any(String), groups: ['SALES'] });
    expect(shown.body.idToken).toMatchObject({ groups: ['SALES'], acr: '1' });
    expect(shown.body.idToken).not.toHaveProperty('sid');
  });

  it('shows why the account is refused', async () => {
    const refused = await acme.admin.post(await create({ requiredPermission: 'wiki:read' }), { username });
    expect(refused.body).toEqual({ outcome: 'REFUSED', reasons: [expect.stringContaining('wiki:read')] });
  });

  it('returns 404 for an account or an application of another tenant', async () => {
    const path = await create();
    expect(await globex.post(path, { username })).toEqual(problem(404, 'not-found', PATH));
    const { body } = await globex.post('/users', newUser({ username: `Other-${newId()}@globex.test` }));
    expect(await acme.admin.post(path, { username: body.username })).toEqual(problem(404, 'not-found', PATH));
  });

  it('needs MANAGE_USERS beside MANAGE_APPLICATIONS, because it shows an account', async () => {
    const path = await create();
    const name = `APPLICATIONS_${newId().replaceAll('-', '').toUpperCase()}`;
    await acme.admin.post('/roles', { name, permissions: ['MANAGE_APPLICATIONS'] });
    const manager = await caller(acme.world.deployment, { roles: [name] });
    expect((await manager.get(path.replace('/preview', ''))).status).toBe(200);
    expect(await manager.post(path, { username })).toEqual(problem(403, 'permission-denied', PATH));
  });
});
