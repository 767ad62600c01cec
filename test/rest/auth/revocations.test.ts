// The revocation feed: what it shows, to whom, and when it ends. `revocations.timed.test.ts` measures how soon.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { idToBytes, newId } from '../../../src/platform/db/ids.ts';
import { seedAccount } from '../../support/accounts.ts';
import { bearer, restClient } from '../../support/rest-client.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { openEvents, type EventStream } from '../../support/event-stream.ts';
import { seedSession } from '../../support/sessions.ts';
import { actorOf, clientsOf, type Actor, type Clients } from '../../support/world.ts';
import { administrator, ENABLED } from '../api-key/api-keys.ts';
import { REVOKE, seedClient, tokenClient, tokenSender, type MachineClient } from '../m2m/clients.ts';

const PATH = '/api/v1/auth/revocations';
const TTL_MS = 900_000;
const LONGEST_CALL_MS = 10_000;

describe.each(DIAGONAL)('revocations ($engine, $transport)', (how) => {
  /** The streams come from `first`, the changes are made at `second`. */
  let first: Deployment;
  let second: Deployment;
  let clients: Clients;
  let root: Actor;
  let server: MachineClient;
  let open: EventStream[] = [];

  beforeAll(async () => {
    const settings = { ...ENABLED, 'app.security.revocations.streams-per-account': '3' };
    first = await deploy({ ...how, settings });
    second = await deploy({ ...how, settings, databaseUrl: first.databaseUrl, clock: first.clock });
    clients = clientsOf(second);
    const account = await seedAccount(first.database, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    root = actorOf(account, await seedSession(first, account));
  });
  beforeEach(async () => {
    // The streams of an earlier test end some time later, and their number is limited.
    server = await seedClient(first.database, { tenantId: 'watchers', resourceServer: true, roles: ['TENANT_USER'] });
  });
  afterEach(() => {
    for (const stream of open) stream.close();
    open = [];
  });
  afterAll(async () => {
    await second?.close();
    await first?.close();
  });

  const tokenOf = async (client: MachineClient): Promise<string> =>
    (await tokenClient(first.url).byForm(client)).body.access_token;
  const follow = async (headers: Readonly<Record<string, string>>, url = first.url) => {
    const stream = await openEvents(url + PATH, headers);
    open.push(stream);
    return stream;
  };
  const listen = async () => {
    const stream = await follow(bearer(await tokenOf(server)));
    expect(stream.status).toBe(200);
    await stream.find('snapshot-end');
    return stream;
  };
  const user = async (tenantId = 'acme') => {
    const account = await seedAccount(first.database, { tenantId });
    return actorOf(account, await seedSession(first, account));
  };
  const expiryOf = (token: string): string =>
    new Date(JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()).exp * 1000).toISOString();

  /** Runs a change and returns the data of its event. */
  async function shown(stream: EventStream, change: () => Promise<unknown>, ...event: [string, string, number?]) {
    await change();
    return (await stream.find(...event)).data;
  }

  it('shows a logout at another process with the expiry of the last token', async () => {
    const { session } = await user();
    const stream = await listen();
    expect(Object.fromEntries(stream.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
    });
    const logout = () => restClient(second.url).logout({ accessToken: session.accessToken });
    const data = await shown(stream, logout, 'session', session.id);
    expect(data).toEqual({ id: session.id, until: expiryOf(session.accessToken) });
  });

  it('shows a replay, and a revoked token of a machine', async () => {
    const stream = await listen();
    const { session } = await user();
    const rest = restClient(second.url);
    expect((await rest.refresh(session.cookie)).status).toBe(200);
    await shown(stream, () => rest.refresh(session.cookie), 'session', session.id);

    const machine = await seedClient(first.database);
    const token = await tokenOf(machine);
    const { jti } = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString());
    const data = await shown(stream, () => tokenSender(second.url, REVOKE).byForm(token, machine), 'token', jti);
    expect(data).toEqual({ id: jti, until: expiryOf(token) });
  });

  it('shows an account that is disabled, enabled, expired and deleted, and its sessions', async () => {
    const stream = await listen();
    const { account, session } = await user();
    const userId = account.id;
    const disable = () => clients.identity.disableUser({ userId }, root.as);
    const until = new Date(first.clock.now() + TTL_MS + LONGEST_CALL_MS).toISOString();
    expect(await shown(stream, disable, 'account', userId)).toEqual({ id: userId, until });
    expect((await stream.find('session', session.id)).data.until).toBe(expiryOf(session.accessToken));
    const enable = () => clients.identity.enableUser({ userId }, root.as);
    expect(await shown(stream, enable, 'account', userId, 2)).toEqual({ id: userId, until: null });
    const expire = (accountExpiresAt: Date | undefined) => () =>
      clients.identity.updateUser({ userId, user: { accountExpiresAt }, updateMask: ['account_expires_at'] }, root.as);
    expect(await shown(stream, expire(new Date(0)), 'account', userId, 3)).toEqual({ id: userId, until });
    expect(await shown(stream, expire(undefined), 'account', userId, 4)).toEqual({ id: userId, until: null });
    await shown(stream, () => clients.identity.deleteUser({ userId }, root.as), 'account', userId, 5);
  });

  it('shows all sessions of an account whose password or roles change, and not the account', async () => {
    const stream = await listen();
    const { account, session } = await user();
    const other = await seedSession(first, account);
    const change = () => clients.identity.setUserRoles({ userId: account.id, roles: ['SALES'] }, root.as);
    await shown(stream, change, 'session', session.id);
    await stream.find('session', other.id);
    expect(stream.events.filter(({ data }) => data.id === account.id)).toEqual([]);
    const later = await seedSession(first, account);
    await shown(
      stream,
      () => clients.identity.setUserPassword({ userId: account.id, password: 'a quite good password 77' }, root.as),
      'session',
      later.id,
    );
  });

  it('shows a tenant that is suspended and activated', async () => {
    await user('initech');
    const stream = await listen();
    const tenantId = 'initech';
    const suspend = () => clients.tenancy.suspendTenant({ tenantId }, root.as);
    const until = new Date(first.clock.now() + TTL_MS + LONGEST_CALL_MS).toISOString();
    expect(await shown(stream, suspend, 'tenant', tenantId)).toEqual({ id: tenantId, until });
    expect((await listen()).events.find(({ event }) => event === 'tenant')?.data).toEqual({ id: tenantId, until });
    const activate = () => clients.tenancy.activateTenant({ tenantId }, root.as);
    expect(await shown(stream, activate, 'tenant', tenantId, 2)).toEqual({ id: tenantId, until: null });
    expect((await listen()).events.find(({ event }) => event === 'tenant')).toBeUndefined();
  });

  it('begins with the revocations in force, and leaves out the expired ones', async () => {
    const { session } = await user();
    await restClient(second.url).logout({ accessToken: session.accessToken });
    const before = await listen();
    const names = before.events.map(({ event, data }) => `${event} ${data.id ?? ''}`);
    expect(names).toContain(`session ${session.id}`);
    expect(names.indexOf(`session ${session.id}`)).toBeLessThan(names.indexOf('snapshot-end '));
    first.clock.advance(TTL_MS + LONGEST_CALL_MS + 1_000);
    const after = await listen();
    expect(after.events.map(({ event }) => event)).toEqual(['snapshot-end']);
    root = actorOf(root.account, await seedSession(first, root.account));
  });

  it('shows a revocation whose transaction committed late', async () => {
    const { session } = await user();
    await restClient(second.url).logout({ accessToken: session.accessToken });
    const stream = await listen();
    const id = newId();
    const commitLate = () =>
      first.database.execute(
        `INSERT INTO revocations (kind, subject, until_at, changed_at)
         SELECT kind, ?, until_at, changed_at - 12000 FROM revocations WHERE subject = ?`,
        [idToBytes(id), idToBytes(session.id)],
      );
    await shown(stream, commitLate, 'session', id);
  });

  it('refuses other callers, and more streams than an account may have', async () => {
    const { headers } = await administrator(first, { tenantId: 'acme', roles: ['ADMIN'] });
    expect(await follow(headers)).toMatchObject({ status: 403, text: expect.stringContaining('permission-denied') });
    const machine = await seedClient(first.database, { roles: ['ADMIN'] });
    expect((await follow(bearer(await tokenOf(machine)))).status).toBe(403);
    expect((await follow({})).status).toBe(401);
    for (let count = 0; count < 3; count += 1) await listen();
    const refused = await follow(bearer(await tokenOf(server)));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    expect(JSON.parse(refused.text)).toMatchObject({
      errorCode: 'too-many-requests',
      detail: 'The account has 3 open streams of revocations',
    });
    expect((await follow(bearer(root.session.accessToken))).status).toBe(200);
  });

  it('ends with its credential, its flag or its role', async () => {
    const token = await tokenOf(server);
    const revoked = await follow(bearer(token));
    const unflagged = await follow(bearer(await tokenOf(server)));
    const account = await seedAccount(first.database, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    const session = await seedSession(first, account);
    const ofUser = await follow(bearer(session.accessToken));
    for (const stream of [revoked, unflagged, ofUser]) await stream.find('snapshot-end');
    await tokenSender(second.url, REVOKE).byForm(token, server);
    await revoked.ended;
    await clients.clientCredentials.updateServiceAccount(
      {
        serviceAccountId: server.account.id,
        serviceAccount: { resourceServer: false, roles: [] },
        updateMask: ['resource_server'],
      },
      root.as,
    );
    await unflagged.ended;
    await clients.identity.deleteUser({ userId: account.id }, root.as);
    await ofUser.ended;
    expect(revoked.comments.at(-1)).toBe('the stream has ended: TOKEN_INVALID');
    expect(unflagged.comments.at(-1)).toBe('the stream has ended: PERMISSION_DENIED');
    expect((await follow(bearer(await tokenOf(server)))).status).toBe(403);
  });

  it('ends when its credential expires', async () => {
    const expiring = await listen();
    first.clock.advance(300_000);
    await expiring.ended;
    root = actorOf(root.account, await seedSession(first, root.account));
  });

  it('answers HEAD without a body', async () => {
    const headers = bearer(await tokenOf(server));
    const response = await restClient(first.url).send('HEAD', PATH, { headers });
    expect([response.status, response.text]).toEqual([200, '']);
  });

  it('ends when the service stops', async () => {
    const third = await deploy({ ...how, databaseUrl: first.databaseUrl, clock: first.clock });
    const stream = await follow(bearer(await tokenOf(server)), third.url);
    await stream.find('snapshot-end');
    await third.close();
    await stream.ended;
  });

  it('answers the same under Profile B', async () => {
    const profileB = await deploy({
      ...how,
      databaseUrl: first.databaseUrl,
      clock: first.clock,
      settings: { 'app.security.auth-profile': 'B' },
    });
    const { status, body } = await restClient(profileB.url).send('GET', PATH);
    expect([status, body.errorCode, body.instance]).toEqual([401, 'unauthorized', PATH]);
    const stream = await follow(bearer(await tokenOf(server)), profileB.url);
    await stream.find('snapshot-end');
    stream.close();
    await profileB.close();
  });
});
