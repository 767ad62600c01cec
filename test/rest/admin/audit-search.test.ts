// What an audit record says of its cause, and how records are found: by account, cause, address, session and request.
import { describe, expect, it } from 'vitest';
import { UNLIMITED } from '../../../src/platform/clock.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import { insertAuditRecords, type NewAuditRecord } from '../../../src/auth/audit/trail/audit-store.ts';
import { seedAccount, PASSWORD } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { caller } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { seedTotp } from '../../support/factors.ts';
import { restClient } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { openAdministration } from './administration.ts';

rememberPasswords();

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const LATER_FIREFOX = FIREFOX.replaceAll('140.0', '151.0');
const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const DAY_MS = 86_400_000;

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const opened = openAdministration(kind);

  const find = async (query: string, as = opened.admin) => {
    const response = await as.get(`/audit-records?${query}`);
    expect([query, response.status]).toEqual([query, 200]);
    return response.body as Record<string, any>[];
  };
  const add = async (...records: Partial<NewAuditRecord>[]) => {
    const { deployment } = opened.world;
    const base = { tenantId: 'acme', event: 'test.happened', clientAddress: '192.0.2.1', requestId: '' };
    const all = records.map((record, index) => ({
      ...base,
      id: newId(),
      at: deployment.clock.now() + index,
      ...record,
    }));
    await deployment.database.transaction(UNLIMITED, (tx) => insertAuditRecords(tx, all));
    return all.map(({ id }) => id);
  };
  const logIn = async (username: string, userAgent: string) => {
    const response = await restClient(opened.world.deployment.url).login(
      { username, password: PASSWORD },
      { 'user-agent': userAgent },
    );
    expect(response.status).toBe(200);
    return response;
  };

  it('names the account, its cause with the session, and the reason of an administrator', async () => {
    const user = await seedAccount(opened.world.deployment.database);
    const { id: sessionId } = await seedSession(opened.world.deployment, user);
    const query = 'reason=ticket%204711%20%E2%80%93%20lost%20laptop';
    expect((await opened.admin.delete(`/users/${user.id}/sessions/${sessionId}?${query}`)).status).toBe(204);
    const [record] = await find(`account=${user.username}`);
    const [acting] = (await opened.admin.get('/account/sessions')).body;
    expect(record).toMatchObject({
      event: 'session.revoked',
      accountId: user.id,
      username: user.username,
      actorId: opened.admin.account.id,
      causedBy: { id: opened.admin.account.id, username: opened.admin.account.username },
      sessionId: acting.id,
      details: { sessionId, reason: 'ticket 4711 – lost laptop' },
    });
    expect((await opened.admin.get(`/audit-records/${record!['id']}`)).body).toEqual(record);
  });

  it('refuses a reason that is too long, and changes nothing', async () => {
    const user = await seedAccount(opened.world.deployment.database);
    await seedSession(opened.world.deployment, user);
    const path = `/users/${user.id}/sessions`;
    expect((await opened.admin.delete(`${path}?reason=${'x'.repeat(501)}`)).status).toBe(400);
    expect((await opened.admin.get(path)).body).toHaveLength(1);
    expect((await opened.admin.delete(`${path}?reason=${'x'.repeat(500)}`)).body).toEqual({ revoked: 1 });
  });

  it('names no cause where an account acts itself', async () => {
    const user = await caller(opened.world.deployment, { roles: ['SALES'] });
    await seedSession(opened.world.deployment, user.account);
    await user.delete('/account/sessions');
    const [record] = await find(`account=${user.account.id}`);
    expect(record).toMatchObject({ event: 'session.revoked', username: user.account.username });
    expect(record).not.toHaveProperty('causedBy');
  });

  it('keeps the name of an actor that was deleted', async () => {
    const leaver = await caller(opened.world.deployment, { roles: ['ADMIN'] });
    const { id } = (
      await leaver.post('/users', {
        username: `${newId()}@acme.test`,
        password: PASSWORD,
        name: 'New',
        roles: ['SALES'],
      })
    ).body;
    expect((await opened.admin.delete(`/users/${leaver.account.id}`)).status).toBe(204);
    const { username } = leaver.account;
    expect((await find(`accountId=${id}`))[0]).toMatchObject({ causedBy: { id: leaver.account.id, username } });
  });

  it('describes a login, and whether its client is known', async () => {
    const { clock } = opened.world.deployment;
    const user = await seedAccount(opened.world.deployment.database);
    const last = async (agent: string) => {
      await logIn(user.username, agent);
      return (await find(`account=${user.username}&events=login.succeeded`))[0]!;
    };
    const first = await last(FIREFOX);
    expect(first['details']).toEqual({
      sessionId: first['sessionId'],
      methods: ['password'],
      userAgent: FIREFOX,
      known: false,
    });
    expect((await find(`sessionId=${first['sessionId']}`)).map(({ id }) => id)).toEqual([first['id']]);
    const known: boolean[] = [];
    for (const agent of [FIREFOX, LATER_FIREFOX, CHROME, CHROME]) known.push((await last(agent))['details'].known);
    expect(known).toEqual([true, true, false, true]);
    // The session of the administrator is not so old.
    clock.advance(91 * DAY_MS);
    await logIn(user.username, FIREFOX);
    clock.advance(-91 * DAY_MS);
    expect((await find(`account=${user.username}&events=login.succeeded`))[0]!['details'].known).toBe(false);
  });

  it('names both methods of a login with a second factor', async () => {
    const { account, code } = await seedTotp(opened.world.deployment);
    const rest = restClient(opened.world.deployment.url);
    const { challenge } = (await rest.login({ username: account.username, password: PASSWORD })).body;
    expect((await rest.postJson('/api/v1/auth/second-factor', { challenge, totp: code() })).status).toBe(200);
    const [record] = await find(`account=${account.username}&events=login.succeeded`);
    expect(record!['details'].methods).toEqual(['password', 'totp']);
  });

  it('finds records by account and by cause, by name and by id', async () => {
    const { id } = (
      await opened.admin.post('/users', {
        username: `${newId()}@acme.test`,
        password: PASSWORD,
        name: 'A',
        roles: ['SALES'],
      })
    ).body;
    const created = await find(`accountId=${id}`);
    expect(created).toHaveLength(1);
    const { username } = created[0]!;
    for (const query of [
      `account=${encodeURIComponent(username.toUpperCase())}`,
      `account=${id}`,
      `account=${username}&accountId=${id}`,
      `account=${id}&causedBy=${opened.admin.account.username}`,
      `account=${id}&causedBy=${opened.admin.account.id}`,
    ])
      expect([query, await find(query)]).toEqual([query, created]);
    for (const nobody of ['account=nobody', 'causedBy=nobody', `account=${username}&accountId=${newId()}`])
      expect([nobody, await find(nobody)]).toEqual([nobody, []]);
    expect(await find('account=&events=test.nothing')).toEqual([]);
  });

  it('finds records by address and by range', async () => {
    const event = `test.${newId().slice(0, 8)}`;
    const addresses = ['192.0.2.1', '192.0.2.130', '198.51.100.7', '2001:db8::5', '2001:db8:0:1::/64', 'local-command'];
    const ids = await add(...addresses.map((clientAddress) => ({ event, clientAddress })));
    const found = async (address: string) =>
      (await find(`events=${event}&address=${encodeURIComponent(address)}`))
        .map(({ id }) => ids.indexOf(id))
        .toReversed();
    expect(await found('192.0.2.1')).toEqual([0]);
    expect(await found('192.0.2.0/24')).toEqual([0, 1]);
    expect(await found('192.0.2.128/25')).toEqual([1]);
    expect(await found('192.0.0.0/8')).toEqual([0, 1]);
    expect(await found('0.0.0.0/0')).toEqual([0, 1, 2]);
    expect(await found('2001:DB8:0:0::5')).toEqual([3]);
    expect(await found('2001:db8::/48')).toEqual([3, 4]);
    expect(await found('2001:db8::/32')).toEqual([3, 4]);
    expect(await found('::/0')).toEqual([0, 1, 2, 3, 4]);
    for (const bad of ['192.0.2', '192.0.2.0/33', '192.0.2.0/', 'x', '::/129', '1.2.3.4/8/8'])
      expect([bad, (await opened.admin.get(`/audit-records?address=${encodeURIComponent(bad)}`)).status]).toEqual([
        bad,
        400,
      ]);
  });

  it('finds records by request and by session, in the own tenant only', async () => {
    const [sessionId, requestId] = [newId(), `request-${newId()}`];
    const [own] = await add({ sessionId, requestId }, { tenantId: 'globex', sessionId, requestId });
    for (const query of [`sessionId=${sessionId}`, `requestId=${requestId}`]) {
      expect((await find(query)).map(({ id }) => id)).toEqual([own]);
      expect(await find(query, opened.root)).toHaveLength(2);
      expect(await find(`${query}&tenantId=acme`, opened.root)).toHaveLength(1);
    }
  });

  it('returns a record to its tenant and to a SUPER_ADMIN, else 404', async () => {
    const [own, foreign, ofService] = await add({}, { tenantId: 'globex' }, { tenantId: undefined });
    const status = async (id: string | undefined, as = opened.admin) => (await as.get(`/audit-records/${id}`)).status;
    expect(await Promise.all([own, foreign, ofService, newId(), 'x'].map((id) => status(id)))).toEqual([
      200, 404, 404, 404, 404,
    ]);
    expect(await Promise.all([own, foreign, ofService, newId()].map((id) => status(id, opened.root)))).toEqual([
      200, 200, 200, 404,
    ]);
    const clerk = await caller(opened.world.deployment, { roles: ['SALES'] });
    expect(await status(own, clerk)).toBe(403);
  });
});
