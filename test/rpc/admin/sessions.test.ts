import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RefreshTokenTransport } from '../../../proto/gen/authservice/session/v1/session_service.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { restClient, type RestClient } from '../../support/rest-client.ts';
import { seedSession, seedTokens } from '../../support/sessions.ts';
import { actorOf, openWorld, type Actor, type Clients, type World } from '../../support/world.ts';
import { outcomeOf } from '../../support/rpc-outcomes.ts';

const DAY = 24 * 3_600_000;

describe.each(DIAGONAL)('$engine, $transport', ({ engine, transport }) => {
  let world: World;
  let session: Clients['session'];
  let rest: RestClient;

  beforeAll(async () => {
    world = await openWorld({ engine, transport });
    ({ session } = world.clients);
    rest = restClient(world.deployment.url);
  });
  afterAll(() => world?.close());

  /** A user with three sessions, oldest first. */
  const busyUser = async (): Promise<[Actor, Actor, Actor]> => {
    const first = await world.actor();
    const { account } = first;
    const second = actorOf(account, await seedSession(world.deployment, account));
    return [first, second, actorOf(account, await seedSession(world.deployment, account))];
  };
  const mine = async ({ as }: Actor) => (await session.listMySessions({}, as)).sessions.map(({ id }) => id);
  const isOver = async ({ as, session: { cookie } }: Actor) => {
    expect(await outcomeOf(world.clients.identity.getMe({}, as))).toBe('TOKEN_INVALID');
    expect((await rest.refresh(cookie)).status).toBe(401);
  };

  it('lists the open sessions of the caller, newest first', async () => {
    const [first, second, third] = await busyUser();
    const tokens = await seedTokens(world.deployment, first.account);
    expect(await mine(first)).toEqual([tokens.id, third.session.id, second.session.id, first.session.id]);
    const { sessions, page } = await session.listMySessions({ page: { page: 2, perPage: 3 } }, first.as);
    const now = world.deployment.clock.now();
    expect(page).toEqual({ page: 2, perPage: 3, total: 4 });
    expect(sessions).toEqual([
      {
        id: first.session.id,
        accountId: first.account.id,
        tenantId: 'acme',
        refreshTokenTransport: RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_COOKIE,
        rememberMe: false,
        clientAddress: '127.0.0.1',
        createdAt: new Date(now),
        refreshedAt: new Date(now),
        expiresAt: new Date(now + DAY),
        current: true,
      },
    ]);
    const userId = first.account.id;
    const seen = await session.listUserSessions({ userId }, world.admin.as);
    expect(seen.sessions.map(({ id }) => id)).toEqual(await mine(first));
    expect(seen.sessions[0]!.refreshTokenTransport).toBe(RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_BODY);
  });

  it('marks the session of the caller, in the own list and in those of administrators', async () => {
    const [first, second, third] = await busyUser();
    const current = async ({ as }: Actor) =>
      (await session.listMySessions({}, as)).sessions.flatMap(({ id, current: is }) => (is ? [id] : []));
    for (const user of [first, second, third]) expect(await current(user)).toEqual([user.session.id]);
    const { sessions } = await session.listUserSessions({ userId: first.account.id }, world.admin.as);
    expect(sessions.map(({ current: is }) => is)).toEqual([false, false, false]);
    const own = await session.listSessions({ userId: world.admin.account.id }, world.admin.as);
    expect(own.sessions.map(({ id, current: is }) => [id, is])).toEqual([[world.admin.session.id, true]]);
  });

  it('lists the sessions of all users of a tenant, or of one, newest first', async () => {
    const tenantId = `sessions-${newId()}`;
    const admin = await world.actor({ tenantId, roles: ['ADMIN'] });
    const [ann, bob] = [await world.actor({ tenantId }), await world.actor({ tenantId })];
    const again = await seedSession(world.deployment, ann.account);
    const list = async (request: object, { as }: Actor) =>
      (await session.listSessions(request, as)).sessions.map(({ id, username }) => [id, username]);
    const all = [
      [again.id, ann.account.username],
      [bob.session.id, bob.account.username],
      [ann.session.id, ann.account.username],
      [admin.session.id, admin.account.username],
    ];
    expect(await list({}, admin)).toEqual(all);
    expect(await list({ tenantId }, world.root)).toEqual(all);
    expect((await list({ page: { page: 1, perPage: 3 } }, world.root))[0]).toEqual(all[0]);
    for (const by of [admin, world.root])
      expect(await list({ userId: ann.account.id }, by)).toEqual(
        all.filter(([, name]) => name === ann.account.username),
      );
    expect(await list({ userId: ann.account.id, tenantId: 'acme' }, world.root)).toEqual([]);
    for (const userId of [world.other.account.id, newId()]) expect(await list({ userId }, admin)).toEqual([]);
    expect(await outcomeOf(session.listSessions({ tenantId: 'globex' }, admin.as))).toBe('TENANT_MISMATCH');
    expect(await outcomeOf(session.listSessions({}, ann.as))).toBe('PERMISSION_DENIED');
    const first = await session.listSessions({ page: { page: 1, perPage: 2 } }, admin.as);
    const rest = await session.listSessions({ page: { page: 0, perPage: 2, after: first.page!.next! } }, admin.as);
    expect([...first.sessions, ...rest.sessions].map(({ id }) => id)).toEqual(all.map(([id]) => id));
    await session.revokeUserSessions({ userId: ann.account.id }, admin.as);
    expect(await list({}, admin)).toEqual([all[1], all[3]]);
  });

  it('does not list revoked and expired sessions', async () => {
    const [first, second, third] = await busyUser();
    await rest.logout({ cookie: second.session.cookie });
    await world.deployment.database.execute('UPDATE session_families SET idle_expires_at = ? WHERE id = ?', [
      world.deployment.clock.now(),
      Buffer.from(third.session.id.replaceAll('-', ''), 'hex'),
    ]);
    expect(await mine(first)).toEqual([first.session.id]);
    expect(await outcomeOf(session.revokeSession({ sessionId: third.session.id }, first.as))).toBe('NOT_FOUND');
    expect(await outcomeOf(session.revokeSession({ sessionId: second.session.id }, first.as))).toBe('NOT_FOUND');
  });

  it('a user can end the own sessions only', async () => {
    const [first, second] = await busyUser();
    const { sessionId } = { sessionId: second.session.id };
    const colleague = await world.actor();
    expect(await outcomeOf(session.revokeSession({ sessionId }, colleague.as))).toBe('NOT_FOUND');
    expect(await outcomeOf(session.revokeSession({ sessionId }, world.other.as))).toBe('NOT_FOUND');
    expect(await outcomeOf(session.revokeSession({ sessionId }, first.as))).toBe('OK');
    await isOver(second);
    expect(await outcomeOf(session.revokeSession({ sessionId }, first.as))).toBe('NOT_FOUND');
    expect(await outcomeOf(session.revokeSession({ sessionId: first.session.id }, first.as))).toBe('OK');
    await isOver(first);
    expect(await outcomeOf(session.revokeSession({ sessionId: 'none' }, colleague.as))).toBe('NOT_FOUND');
    expect(await outcomeOf(session.revokeSession({ sessionId: newId() }, colleague.as))).toBe('NOT_FOUND');
  });

  it('an administrator can end one session of a user, or all', async () => {
    const users = await busyUser();
    const [first, second, third] = users;
    const userId = first.account.id;
    expect(await outcomeOf(session.revokeSession({ sessionId: second.session.id }, world.admin.as))).toBe('OK');
    await isOver(second);
    expect(await mine(first)).toEqual([third.session.id, first.session.id]);
    expect(await session.revokeUserSessions({ userId }, world.root.as)).toEqual({ revoked: 2 });
    for (const user of users) await isOver(user);
    expect(await session.revokeUserSessions({ userId }, world.admin.as)).toEqual({ revoked: 0 });
  });

  it('exactly one of parallel revocations ends the session', async () => {
    const user = await world.actor();
    const sessionId = user.session.id;
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, () => outcomeOf(session.revokeSession({ sessionId }, world.admin.as))),
    );
    expect(outcomes.toSorted()).toEqual([...Array<string>(5).fill('NOT_FOUND'), 'OK']);
  });

  it('a service account has no sessions', async () => {
    const client = await world.actor({ interactive: false });
    const { userId } = { userId: client.account.id };
    expect(await outcomeOf(session.listUserSessions({ userId }, world.admin.as))).toBe('NOT_FOUND');
    expect(await outcomeOf(session.revokeUserSessions({ userId }, world.admin.as))).toBe('NOT_FOUND');
  });
});
