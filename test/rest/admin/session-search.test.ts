// Sessions as administrators see them: one by its id, filters, and none that is over.
import { describe, expect, it } from 'vitest';
import { idToBytes, newId } from '../../../src/platform/db/ids.ts';
import { addressBytes } from '../../../src/platform/formats/address-range.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { seedAccount } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { seedTotp } from '../../support/factors.ts';
import { restClient } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { newRoleName } from '../../rpc/admin/rpcs.ts';
import { openAdministration, pagingOf } from './administration.ts';

rememberPasswords();

const MINUTE_MS = 60_000;

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const opened = openAdministration(kind);

  const list = async (query: string, as = opened.root) => {
    const response = await as.get(`/sessions?${query}`);
    expect([query, response.status]).toEqual([query, 200]);
    expect(pagingOf(response)[0]).toBe(response.body.length);
    return (response.body as { id: string }[]).map(({ id }) => id);
  };
  /** Those of some sessions that the list of all tenants has, in the order of their creation. */
  const among = async (ids: readonly string[]) => {
    const all = (await opened.root.get('/sessions?perPage=100')).body as { id: string }[];
    return ids.filter((id) => all.some((one) => one.id === id));
  };
  /** A tenant of its own, so that its policy concerns no other test. */
  const newTenant = async () => {
    const tenantId = `tenant-${newId()}`;
    expect((await opened.root.post('/tenants', { tenantId, name: 'Own' })).status).toBe(201);
    const seed = (more: object = {}) => seedAccount(opened.world.deployment.database, { tenantId, ...more });
    const change = async (policy: object) => {
      const { status } = await opened.root.patch(`/tenants/${tenantId}/policy`, policy);
      expect(status).toBe(200);
    };
    return { tenantId, seed, change };
  };
  const session = async (account: Account) => (await seedSession(opened.world.deployment, account)).id;

  it('shows an open session to administrators of its tenant only', async () => {
    const user = await seedAccount(opened.world.deployment.database);
    const foreign = await seedAccount(opened.world.deployment.database, { tenantId: 'globex' });
    const [own, other] = [await session(user), await session(foreign)];
    const shown = await opened.admin.get(`/sessions/${own}`);
    expect(shown.body).toMatchObject({ id: own, accountId: user.id, username: user.username, current: false });
    expect((await opened.root.get(`/sessions/${other}`)).body).toMatchObject({ id: other, tenantId: 'globex' });
    const status = async (id: string) => (await opened.admin.get(`/sessions/${id}`)).status;
    expect(await Promise.all([other, newId(), 'x'].map(status))).toEqual([404, 404, 404]);
    await opened.admin.delete(`/users/${user.id}/sessions/${own}`);
    expect(await status(own)).toBe(404);
  });

  it('finds sessions by address and by user agent', async () => {
    const { database } = opened.world.deployment;
    const { tenantId, seed } = await newTenant();
    const user = await seed();
    const clients = [
      ['192.0.2.1', 'Mozilla/5.0 Firefox/140.0'],
      ['192.0.2.200', 'curl/8.5.0'],
      ['2001:db8::1', undefined],
    ] as const;
    const ids: string[] = [];
    for (const [address, agent] of clients) {
      const id = await session(user);
      await database.execute(
        'UPDATE session_families SET client_address = ?, address = ?, user_agent = ? WHERE id = ?',
        [address, addressBytes(address)!, agent ?? null, idToBytes(id)],
      );
      ids.push(id);
    }
    const found = async (query: string) =>
      (await list(`tenantId=${tenantId}&${query}`)).map((id) => ids.indexOf(id)).toSorted((a, b) => a - b);
    expect(await found('address=192.0.2.1')).toEqual([0]);
    expect(await found('address=192.0.2.0/24')).toEqual([0, 1]);
    expect(await found('address=0.0.0.0/0')).toEqual([0, 1]);
    expect(await found('address=2001:db8::/32')).toEqual([2]);
    expect(await found('userAgent=FIREFOX')).toEqual([0]);
    expect(await found('userAgent=%25')).toEqual([]);
    expect(await found('address=192.0.2.0/24&userAgent=curl')).toEqual([1]);
    expect(await found(`userId=${user.id}&userAgent=curl`)).toEqual([1]);
    expect((await opened.root.get('/sessions?address=x')).status).toBe(400);
  });

  it('has no session of a user that was deleted', async () => {
    const { tenantId, seed } = await newTenant();
    const [leaver, other] = [await seed(), await seed()];
    await session(leaver);
    await session(leaver);
    const left = await session(other);
    const openSessions = async () => (await opened.root.get(`/statistics?tenantId=${tenantId}`)).body.openSessions;
    expect(await openSessions()).toBe(3);
    expect((await opened.root.delete(`/users/${leaver.id}`)).status).toBe(204);
    expect(await list(`tenantId=${tenantId}`)).toEqual([left]);
    expect(await openSessions()).toBe(1);
  });

  it.each(['sessionIdleWindow', 'sessionAbsoluteLifetime'])('has no session that %s ends, for good', async (field) => {
    const { clock } = opened.world.deployment;
    const { tenantId, seed, change } = await newTenant();
    const user = await seed();
    const { id, cookie } = await seedSession(opened.world.deployment, user);
    clock.advance(2 * MINUTE_MS);
    const later = await session(user);
    await change({ [field]: 60 });
    expect(await list(`tenantId=${tenantId}`)).toEqual([later]);
    expect((await opened.root.get(`/sessions/${id}`)).status).toBe(404);
    expect((await opened.root.get(`/users/${user.id}/sessions`)).body).toHaveLength(1);
    await change({ [field]: null });
    expect(await list(`tenantId=${tenantId}`)).toEqual([later]);
    expect((await restClient(opened.world.deployment.url).refresh(cookie)).status).toBe(401);
  });

  it('ends a session for good at a refresh that the policy refuses', async () => {
    const { clock, url } = opened.world.deployment;
    const { seed, change } = await newTenant();
    const { cookie } = await seedSession(opened.world.deployment, await seed());
    clock.advance(2 * MINUTE_MS);
    await change({ sessionIdleWindow: 60 });
    expect((await restClient(url).refresh(cookie)).status).toBe(401);
    await change({ sessionIdleWindow: null });
    expect((await restClient(url).refresh(cookie)).status).toBe(401);
  });

  it('keeps the sessions that a policy leaves, with its end', async () => {
    const { clock, url } = opened.world.deployment;
    const { tenantId, seed, change } = await newTenant();
    const { id, cookie } = await seedSession(opened.world.deployment, await seed());
    await change({ sessionIdleWindow: 600 });
    const [listed] = (await opened.root.get(`/sessions?tenantId=${tenantId}`)).body;
    expect([listed.id, Date.parse(listed.expiresAt)]).toEqual([id, clock.now() + 10 * MINUTE_MS]);
    expect((await restClient(url).refresh(cookie)).status).toBe(200);
  });

  it('has no session without a second factor that the policy requires', async () => {
    const { tenantId, seed, change } = await newTenant();
    const [clerk, administrator] = [await seed({ roles: ['SALES'] }), await seed({ roles: ['ADMIN'] })];
    const [ofClerk, ofAdministrator] = [await session(clerk), await session(administrator)];
    const { account } = await seedTotp(opened.world.deployment, { tenantId, roles: ['ADMIN'] });
    const withFactor = await session(account);
    await opened.world.deployment.database.execute("UPDATE session_families SET amr = 'pwd otp mfa' WHERE id = ?", [
      idToBytes(withFactor),
    ]);
    const listed = async () => (await list(`tenantId=${tenantId}`)).toSorted();
    await change({ secondFactor: 'REQUIRED_FOR_ADMINISTRATORS' });
    expect(await listed()).toEqual([ofClerk, withFactor].toSorted());
    const own = [ofClerk, ofAdministrator, withFactor];
    expect(await among(own)).toEqual([ofClerk, withFactor]);
    await change({ secondFactor: 'REQUIRED' });
    expect(await listed()).toEqual([withFactor]);
    expect(await among(own)).toEqual([withFactor]);
    await change({ secondFactor: null });
    expect(await listed()).toEqual(own.toSorted());
    expect(await among(own)).toEqual(own);
  });

  it('of all tenants, has none of an administrator by the roles of its tenant', async () => {
    const [strict, other, free] = [await newTenant(), await newTenant(), await newTenant()];
    const name = newRoleName();
    const permissionsOf = new Map([
      [strict, ['MANAGE_USERS']],
      [other, ['a:b']],
      [free, ['MANAGE_USERS']],
    ]);
    const opens: string[] = [];
    for (const [tenant, permissions] of permissionsOf) {
      const { tenantId } = tenant;
      const role = { tenantId, name, permissions, inherits: [] };
      expect((await opened.root.post('/roles', role)).status).toBe(201);
      opens.push(await session(await tenant.seed({ roles: [name] })), await session(await tenant.seed()));
    }
    const [ofBoss, ...others] = opens;
    expect(await among(opens)).toEqual(opens);
    for (const tenant of [strict, other]) await tenant.change({ secondFactor: 'REQUIRED_FOR_ADMINISTRATORS' });
    expect(await among(opens)).toEqual(others);
    expect(await list(`tenantId=${strict.tenantId}`)).not.toContain(ofBoss);
  });
});

describe.each(DIAGONAL)('a service that requires a factor of administrators: $engine over $transport', (kind) => {
  const settings = { 'app.security.second-factor': 'REQUIRED_FOR_ADMINISTRATORS' };
  const opened = openAdministration({ ...kind, settings });

  it('lists no session of an administrator without one, of all tenants and of none', async () => {
    const { deployment } = opened.world;
    const accounts = [
      await opened.world.seed({ roles: ['ADMIN'] }),
      await opened.world.seed({ roles: ['SUPER_ADMIN'], tenantId: undefined }),
      await opened.world.seed({ roles: ['SALES'] }),
      await opened.world.seed({ roles: ['DELIVERY'], tenantId: 'globex' }),
    ];
    const sessions = await Promise.all(accounts.map(async (account) => (await seedSession(deployment, account)).id));
    const all = (await opened.root.get('/sessions?perPage=100')).body.map(({ id }: { id: string }) => id);
    expect(all.toSorted()).toEqual(sessions.slice(2).toSorted());
  });

  it('lists the users of all tenants with their factors and states', async () => {
    const { world } = opened;
    const { account } = await seedTotp(world.deployment, { tenantId: 'globex', roles: ['ADMIN'] });
    const plain = await world.seed({ roles: ['ADMIN'] });
    const disabled = await world.seed({ roles: ['ADMIN'], disabled: true });
    const users = (await opened.root.get('/users?perPage=100')).body as {
      id: string;
      factors: string[];
      state: string;
    }[];
    const shown = ({ id }: Account) => users.find((user) => user.id === id);
    expect(shown(account)).toMatchObject({ factors: ['totp', 'recovery-code'], state: 'ENABLED' });
    expect(shown(plain)).toMatchObject({ factors: [], state: 'ENABLED' });
    expect(shown(disabled)).toMatchObject({ factors: [], state: 'DISABLED' });
    const ofState = (await opened.root.get('/users?state=DISABLED&sort=-lastLoginAt')).body as { id: string }[];
    expect(ofState.map(({ id }) => id)).toEqual([disabled.id]);
  });
});
