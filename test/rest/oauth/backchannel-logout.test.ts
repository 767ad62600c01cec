// Back-channel logout: each end of a session reaches the applications that have had a grant of it.
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../support/argon2.ts';
import { DIAGONAL, ON_SQLITE } from '../../support/deployment.ts';
import { untilServed } from '../../support/at-once.ts';
import { eventually } from '../../support/eventually.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import { startLogoutReceiver, type LogoutReceiver } from '../../support/oauth/logout-receiver.ts';
import { callerOf, ISSUER, openedService, signedIn, type ServiceParty } from '../../support/oauth/service.ts';
import { HOUR_MS, SESSION_ENDS, SESSION_SETTINGS, type Stage } from '../../support/oauth/session-ends.ts';

rememberPasswords();

const OFFLINE = { scope: 'openid offline_access' };
const CHECK_INTERVAL_MS = 240_000;

describe.each(DIAGONAL)('back-channel logout, $engine over $transport', (kind) => {
  const service = openedService({
    ...kind,
    settings: { ...SESSION_SETTINGS, 'app.webhooks.allowed-networks': '127.0.0.1' },
  });
  let receiver: LogoutReceiver;
  let parties: readonly ServiceParty[];
  beforeAll(async () => {
    receiver = await startLogoutReceiver();
    const fields = { firstParty: true, backchannelLogoutUri: receiver.url };
    parties = [await service.party(fields), await service.party({ ...fields, idTokenAlgorithm: 'RS256' })];
  });
  afterAll(() => receiver?.close());

  async function stage(seed: object = {}): Promise<Stage> {
    const user = await service.user(seed);
    const browser = await signedIn(service, user);
    const { claims, idToken } = await parties[0]!.logIn(browser, user);
    await parties[0]!.logIn(browser, user);
    await parties[1]!.logIn(browser, user, OFFLINE);
    return { user, browser, idToken, sid: claims['sid'] as string };
  }
  async function expectTold({ sid, user }: Stage): Promise<void> {
    const told = await eventually(() => {
      const found = receiver.of(sid);
      expect(found.map(({ claims }) => String(claims.aud)).toSorted()).toEqual(
        parties.map(({ client }) => client.id).toSorted(),
      );
      return found;
    });
    for (const { claims } of told) expect(claims.sub).toBe(user.sub);
  }

  it.each(Object.entries(SESSION_ENDS))('%s reaches each application once', async (_, end) => {
    const at = await stage();
    expect((await end(service, at)).status).toBeLessThan(300);
    await expectTold(at);
  });

  it('a logout token is what the specification says, and nothing else', async () => {
    const at = await stage();
    await callerOf(service, at.browser).post('/auth/logout');
    await expectTold(at);
    const { token, headers } = receiver.of(at.sid)[0]!;
    const keys = await service.send('GET', service.metadata['jwks_uri']);
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys.body), {
      issuer: ISSUER,
      typ: 'logout+jwt',
      currentDate: new Date(service.now() * 1000),
    });
    expect(Object.keys(payload).toSorted()).toEqual(['aud', 'events', 'exp', 'iat', 'iss', 'jti', 'sid', 'sub']);
    expect(payload['events']).toEqual({ 'http://schemas.openid.net/event/backchannel-logout': {} });
    expect(payload.exp! - payload.iat!).toBe(120);
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'RS256', typ: 'logout+jwt' });
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
    // It is no hint: the type of the token says so.
    const url = `${service.metadata['end_session_endpoint']}?id_token_hint=${token}`;
    expect((await at.browser.send('GET', url)).status).toBe(400);
  });

  it('an administrator sees the deliveries, and sends one again', async () => {
    const at = await stage();
    await callerOf(service, at.browser).post('/auth/logout');
    await expectTold(at);
    const path = `/applications/${parties[0]!.client.applicationId}/deliveries`;
    const admin = await service.admin();
    const list = await eventually(async () => {
      const { status, body } = await (await service.root()).get(`${path}?perPage=1`);
      expect([status, body[0].status, body[0].responseStatus]).toEqual([200, 'DELIVERED', 200]);
      return body;
    });
    const retry = `${path}/${list[0].id}/retry`;
    expect((await (await service.admin('flowers')).get(path)).status).toBe(404);
    expect((await (await service.admin('flowers')).post(retry)).status).toBe(404);
    expect((await admin.post(retry)).status).toBe(200);
    await eventually(() => expect(receiver.of(at.sid)).toHaveLength(3));
    expect((await admin.post(`${path}/${at.sid}/retry`)).status).toBe(404);
  });

  it('an application that fails gets another token later, and one that refuses it gets no other', async () => {
    const failing = await startLogoutReceiver(() => 503);
    const refusing = await startLogoutReceiver(() => 400);
    try {
      const user = await service.user();
      const browser = await signedIn(service, user);
      for (const { url } of [failing, refusing]) {
        const party = await service.party({ firstParty: true, backchannelLogoutUri: url });
        await party.logIn(browser, user);
      }
      await callerOf(service, browser).post('/auth/logout');
      await eventually(() => expect([failing.received.length, refusing.received.length]).toEqual([1, 1]));
      failing.respond = () => 204;
      await eventually(() => {
        service.advance(6_000);
        expect(failing.received).toHaveLength(2);
      });
      const [first, second] = failing.received;
      expect(second!.claims['sid']).toBe(first!.claims['sid']);
      expect(second!.claims.jti).not.toBe(first!.claims.jti);
      expect(refusing.received).toHaveLength(1);
    } finally {
      await failing.close();
      await refusing.close();
    }
  });

  /** Waits until the job has looked at a session after its time has come, and found it alive. */
  async function expectLookedAt({ sid }: Stage): Promise<void> {
    const { database, clock } = service.deployment;
    service.advance(CHECK_INTERVAL_MS);
    await eventually(async () => {
      const rows = await database.query<{ check_at: number }>(
        'SELECT check_at FROM session_applications WHERE session_id = ?',
        [idToBytes(sid)],
      );
      expect(rows.map(({ check_at }) => check_at > clock.now())).toEqual([true, true]);
    });
    expect(receiver.of(sid)).toEqual([]);
  }

  it.each<[string, (stage: Stage) => Promise<{ status: number }>]>([
    [
      'a lock by wrong passwords',
      async ({ user }) => {
        const lockedUntil = service.deployment.clock.now() + HOUR_MS;
        await service.deployment.database.execute('UPDATE accounts SET locked_until = ? WHERE id = ?', [
          lockedUntil,
          idToBytes(user.sub),
        ]);
        return { status: 200 };
      },
    ],
    [
      'a revoked grant',
      async ({ browser }) => {
        const caller = callerOf(service, browser);
        const [{ id }] = (await caller.get('/account/grants')).body;
        return caller.delete(`/account/grants/${id}`);
      },
    ],
  ])('%s is no end, and hides none', async (_, change) => {
    const at = await stage();
    const { status } = await change(at);
    expect(status).toBeLessThan(300);
    await expectLookedAt(at);
    expect((await callerOf(service, at.browser).post('/auth/logout')).status).toBe(200);
    await expectTold(at);
  });

  it('two ends at once reach each application once', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const at = await stage();
      const admin = await service.admin();
      await Promise.all([
        callerOf(service, at.browser).post('/auth/logout'),
        admin.delete(`/users/${at.user.sub}/sessions/${at.sid}`),
        admin.post(`/users/${at.user.sub}/disable`),
        at.browser.send('GET', `${service.metadata['end_session_endpoint']}?id_token_hint=${at.idToken}`),
      ]);
      await expectTold(at);
    }
  });

  it('an application that gets its grant while the session ends is told, or gets no grant', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const user = await service.user();
      const browser = await signedIn(service, user);
      const { claims } = await parties[0]!.logIn(browser, user);
      const code = await parties[1]!.signIn(browser, user, OFFLINE);
      const [redeemed] = await Promise.all([
        untilServed(() => parties[1]!.redeem(code)),
        untilServed(() => callerOf(service, browser).post('/auth/logout')),
      ]);
      expect([200, 400]).toContain(redeemed.status);
      const expected = parties.slice(0, redeemed.status === 200 ? 2 : 1).map(({ client }) => client.id);
      await eventually(() => {
        const told = receiver.of(claims['sid']).map(({ claims: { aud } }) => String(aud));
        expect(told.toSorted()).toEqual(expected.toSorted());
      });
    }
  });

  it('a deleted application is told nothing, and others are', async () => {
    const user = await service.user();
    const browser = await signedIn(service, user);
    const party = await service.party({ firstParty: true, backchannelLogoutUri: receiver.url });
    const { claims } = await party.logIn(browser, user);
    await parties[0]!.logIn(browser, user);
    const path = `/applications/${party.client.applicationId}`;
    expect((await (await service.root()).delete(path)).status).toBe(204);
    expect((await callerOf(service, browser).post('/auth/logout')).status).toBe(200);
    const { database } = service.deployment;
    await eventually(async () => {
      const waiting = 'SELECT 1 AS one FROM session_applications WHERE session_id = ?';
      expect(await database.query(waiting, [idToBytes(claims['sid'] as string)])).toEqual([]);
      expect(receiver.of(claims['sid']).map(({ claims: { aud } }) => aud)).toEqual([parties[0]!.client.id]);
    });
  });

  it('a suspended tenant reaches the applications of its sessions, and is in the audit trail', async () => {
    const tenant = 'suspended-later';
    const root = await service.root();
    expect((await root.post('/tenants', { tenantId: tenant, name: tenant })).status).toBe(201);
    const party = await service.party({ firstParty: true, backchannelLogoutUri: receiver.url, tenantId: tenant });
    const user = await service.user({ tenantId: tenant });
    const browser = await signedIn(service, user);
    const { claims } = await party.logIn(browser, user);
    expect((await root.post(`/tenants/${tenant}/suspend`)).status).toBeLessThan(300);
    await eventually(() => expect(receiver.of(claims['sid'])).toHaveLength(1));
    const { body } = await root.get(`/audit-records?accountId=${user.sub}&perPage=100`);
    const found = body.filter(({ event }: { event: string }) => event === 'logout.propagated');
    expect(found.map(({ details }: { details: unknown }) => details)).toEqual([
      { sessionId: claims['sid'], applications: 1 },
    ]);
  });
});

describe.each(ON_SQLITE)('back-channel logout without allowed networks, $engine over $transport', (kind) => {
  const service = openedService(kind);

  it('connects to no address of the own network, and its delivery says so', async () => {
    const receiver = await startLogoutReceiver();
    try {
      const party = await service.party({ firstParty: true, backchannelLogoutUri: receiver.url });
      const user = await service.user();
      const browser = await signedIn(service, user);
      await party.logIn(browser, user);
      await callerOf(service, browser).post('/auth/logout');
      const root = await service.root();
      const { body } = await eventually(async () => {
        const response = await root.get(`/applications/${party.client.applicationId}/deliveries`);
        expect(response.body[0]).toMatchObject({ status: 'PENDING', attempts: 1 });
        return response;
      });
      expect(body[0].error).toContain('app.webhooks.allowed-networks');
      expect(receiver.received).toEqual([]);
    } finally {
      await receiver.close();
    }
  });
});
