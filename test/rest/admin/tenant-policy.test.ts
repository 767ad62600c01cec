// /tenants/{tenantId}/policy, and what a policy changes in logins, refreshes, passwords and locks.
import { describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { POLICY_FIELDS, type PolicyFieldName } from '../../../src/auth/access/policy/policy-fields.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { PASSWORD } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { API, caller, faults } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { addGateway } from '../../support/gateways.ts';
import { problem } from '../../support/problems.ts';
import { restClient, sessionOf } from '../../support/rest-client.ts';
import { seedClient, tokenClient } from '../m2m/clients.ts';
import { newUser, openAdministration } from './administration.ts';

rememberPasswords();

const SHOP = 'https://shop.test';
const OTHER = 'https://other.test';
const SETTINGS = { 'app.http.cors.allowed-origins': `${SHOP},${OTHER}` };
const DEFAULTS = {
  passwordMinLength: 12,
  accessTokenTtl: 900,
  sessionIdleWindow: 2_592_000,
  sessionsPerAccount: 100,
  lockMaxFailures: 5,
  lockDuration: 900,
  allowedOrigins: [SHOP, OTHER],
  secondFactor: 'OPTIONAL',
  freshSession: 600,
  recovery: true,
  language: 'en',
  passkeyLogin: true,
  sharedApplications: true,
};
const MINUTE_MS = 60_000;

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const acme = openAdministration({ ...kind, settings: SETTINGS });

  /** Creates a tenant with an administrator and a user. */
  async function open(policy?: object) {
    const tenantId = `t-${newId()}`;
    const admin = await caller(acme.world.deployment, { tenantId, roles: ['TENANT_ADMIN'] });
    const path = `/tenants/${tenantId}/policy`;
    const set = async (values: object) => {
      const response = await admin.patch(path, values);
      expect([response.status, response.text]).toEqual([200, response.text]);
      return response;
    };
    if (policy) await set(policy);
    const user = await acme.world.seed({ tenantId, roles: ['SALES'] });
    return { tenantId, admin, path, set, user, rest: restClient(acme.world.deployment.url) };
  }

  const login = ({ username }: Account, more: object = {}) => ({ username, password: PASSWORD, ...more });
  const lifetime = (accessToken: string) => {
    const { exp, iat } = JSON.parse(Buffer.from(accessToken.split('.')[1]!, 'base64url').toString());
    return exp - iat;
  };
  const advance = (ms: number) => acme.world.deployment.clock.advance(ms);
  /** The access tokens of the others have expired after an hour. */
  const newRoot = () => caller(acme.world.deployment, { tenantId: undefined, roles: ['SUPER_ADMIN'] });

  describe('the resource', () => {
    it('shows the own values, those of the service and those in force, and changes some', async () => {
      const { admin, path } = await open();
      const first = await admin.get(path);
      expect(first.body).toEqual({ policy: {}, effective: DEFAULTS, service: DEFAULTS });
      const etag = first.headers.get('etag')!;
      expect((await admin.get(path, { 'if-none-match': etag })).status).toBe(304);

      const changed = await admin.patch(path, { lockMaxFailures: 3, allowedOrigins: [SHOP] }, { 'if-match': etag });
      const body = {
        policy: { lockMaxFailures: 3, allowedOrigins: [SHOP] },
        effective: { ...DEFAULTS, lockMaxFailures: 3, allowedOrigins: [SHOP] },
        service: DEFAULTS,
      };
      expect([changed.status, changed.body]).toEqual([200, body]);
      expect(changed.headers.get('etag')).not.toBe(etag);
      const stale = await admin.patch(path, { lockMaxFailures: 4 }, { 'if-match': etag });
      expect(stale).toEqual(problem(412, 'precondition-failed', API + path));
      expect((await acme.root.get(path)).body).toEqual(body);

      const returned = await admin.patch(path, { lockMaxFailures: null, allowedOrigins: null });
      expect(returned.body).toEqual(first.body);
      expect(returned.headers.get('etag')).toBe(etag);
    });

    it('records old and new values in the audit log', async () => {
      const { admin, tenantId } = await open({ lockMaxFailures: 4 });
      await acme.root.patch(`/tenants/${tenantId}/policy`, { lockMaxFailures: 3, lockDuration: 1_800 });
      await acme.root.patch(`/tenants/${tenantId}/policy`, { lockMaxFailures: 3 });
      const { body } = await admin.get('/audit-records?events=tenant.policy-changed');
      expect(
        body.map(({ details, actorId }: any) => [actorId, JSON.parse(details.from), JSON.parse(details.to)]),
      ).toEqual([
        [acme.root.account.id, { lockMaxFailures: 4 }, { lockMaxFailures: 3, lockDuration: 1_800 }],
        [admin.account.id, {}, { lockMaxFailures: 4 }],
      ]);
    });

    it('is for administrators of the tenant and for a SUPER_ADMIN', async () => {
      const { path, tenantId } = await open();
      const sales = await caller(acme.world.deployment, { tenantId, roles: ['MANAGER'] });
      for (const response of [await sales.get(path), await sales.patch(path, { lockMaxFailures: 3 })])
        expect(response).toEqual(problem(403, 'permission-denied', API + path));
      for (const response of [await acme.admin.get(path), await acme.admin.patch(path, { lockMaxFailures: 3 })])
        expect(response).toEqual(problem(404, 'not-found', API + path));
      expect((await acme.root.get('/tenants/missing/policy')).status).toBe(404);
    });

    it.each<[what: string, body: unknown, ...fields: string[]]>([
      ['an unknown language', { language: 'fr' }, 'language'],
      ['a looser password length', { passwordMinLength: 11 }, 'passwordMinLength'],
      ['a long password length', { passwordMinLength: 129 }, 'passwordMinLength'],
      ['a longer token', { accessTokenTtl: 901 }, 'accessTokenTtl'],
      ['a short token', { accessTokenTtl: 59 }, 'accessTokenTtl'],
      ['a longer idle window', { sessionIdleWindow: 2_592_001 }, 'sessionIdleWindow'],
      ['a short lifetime', { sessionAbsoluteLifetime: 59 }, 'sessionAbsoluteLifetime'],
      ['more sessions', { sessionsPerAccount: 101 }, 'sessionsPerAccount'],
      ['no session', { sessionsPerAccount: 0 }, 'sessionsPerAccount'],
      ['more failures', { lockMaxFailures: 6 }, 'lockMaxFailures'],
      ['few failures', { lockMaxFailures: 2 }, 'lockMaxFailures'],
      ['a shorter lock', { lockDuration: 899 }, 'lockDuration'],
      ['a longer lock than a day', { lockDuration: 86_401 }, 'lockDuration'],
      ['a negative number', { lockDuration: -1 }, 'lockDuration'],
      ['an infinite number', '{"sessionAbsoluteLifetime":1e309}', 'sessionAbsoluteLifetime'],
      ['a large number', { sessionAbsoluteLifetime: 2 ** 40 }, 'sessionAbsoluteLifetime'],
      ['a fraction', { lockDuration: 900.5 }, 'lockDuration'],
      ['a text', { lockDuration: '900' }, 'lockDuration'],
      ['a foreign origin', { allowedOrigins: [SHOP, 'https://evil.test'] }, 'allowedOrigins.1'],
      ['no origin', { allowedOrigins: [] }, 'allowedOrigins'],
      ['an origin twice', { allowedOrigins: [SHOP, SHOP] }, 'allowedOrigins'],
      ['1,000 origins', { allowedOrigins: Array<string>(1_000).fill(SHOP) }, 'allowedOrigins'],
      ['an unknown field', { lockMaxFailures: 3, secondFactors: true }, 'secondFactors'],
      ['several looser values', { lockMaxFailures: 9, lockDuration: 1 }, 'lockDuration', 'lockMaxFailures'],
    ])('returns 400 for %s and changes nothing', async (_what, body, ...fields) => {
      const { admin, path } = await open({ lockMaxFailures: 4 });
      const response = await admin.patch(path, body);
      expect(response).toEqual(problem(400, 'validation-error', API + path));
      expect(faults(response)).toEqual(fields);
      expect((await admin.get(path)).body.policy).toEqual({ lockMaxFailures: 4 });
    });

    it('names the bound and the setting of a looser value', async () => {
      const { admin, path } = await open();
      const { text } = await admin.patch(path, { accessTokenTtl: 901 });
      expect(text).toContain(
        'must be at most 900, because a tenant cannot be looser than app.security.access-token-ttl',
      );
    });

    it('lets one of several parallel changes with the same If-Match succeed', async () => {
      const { admin, path } = await open();
      const etag = (await admin.get(path)).headers.get('etag')!;
      const bodies = [3, 4].flatMap((lockMaxFailures) =>
        [1_000, 2_000].map((lockDuration) => ({ lockMaxFailures, lockDuration })),
      );
      const responses = await Promise.all(bodies.map((body) => admin.patch(path, body, { 'if-match': etag })));
      expect(responses.map(({ status }) => `${status}`).toSorted()).toEqual(['200', '412', '412', '412']);
    });
  });

  it('applies to new passwords', async () => {
    const { admin, user } = await open({ passwordMinLength: 20 });
    const short = 'Nineteen characters';
    const long = 'Twenty characters ok';
    const created = await admin.post('/users', newUser({ password: short }));
    expect([created.status, faults(created)]).toEqual([400, ['password']]);
    expect(created.text).toContain('must have 20 to 1024 characters');
    expect((await admin.post('/users', newUser({ password: long }))).status).toBe(201);
    expect((await admin.put(`/users/${user.id}/password`, { password: short })).status).toBe(400);
    expect((await admin.put(`/users/${user.id}/password`, { password: long })).status).toBe(200);
    const own = await caller(acme.world.deployment, { tenantId: user.tenantId! });
    const change = (newPassword: string) => own.put('/account/password', { currentPassword: PASSWORD, newPassword });
    expect([(await change(short)).status, (await change(long)).status]).toEqual([400, 204]);
  });

  it('locks earlier and longer', async () => {
    const { user, rest } = await open({ lockMaxFailures: 3, lockDuration: 3_600 });
    const wrong = await Promise.all(Array.from({ length: 12 }, () => rest.login(login(user, { password: 'wrong' }))));
    expect(wrong.filter(({ status }) => status === 401)).toHaveLength(3);
    expect(wrong.filter(({ status }) => status === 423)).toHaveLength(9);
    advance(30 * MINUTE_MS);
    expect((await rest.login(login(user))).status).toBe(423);
    const explained = await (await newRoot()).post('/credentials/explain', { username: user.username });
    expect(explained.text).toContain(
      "(lockMaxFailures 3, of the tenant's policy; lockDuration 3600, of the tenant's policy)",
    );
    advance(31 * MINUTE_MS);
    expect((await rest.login(login(user))).status).toBe(200);
  });

  it('allows one more attempt if the failures are more than a new limit', async () => {
    const { set, user, rest } = await open();
    for (let count = 0; count < 4; count += 1) await rest.login(login(user, { password: 'wrong' }));
    await set({ lockMaxFailures: 3 });
    const [first, second] = [await rest.login(login(user, { password: 'wrong' })), await rest.login(login(user))];
    expect([first.status, second.status]).toEqual([401, 423]);
  });

  it('shortens tokens and sessions, also running ones', async () => {
    const { set, user, rest, tenantId } = await open();
    const before = sessionOf(await rest.login(login(user, { rememberMe: true })));
    expect(lifetime(before.accessToken)).toBe(900);
    await set({ accessTokenTtl: 120, sessionIdleWindow: 3_600, sessionAbsoluteLifetime: 7_200 });
    const refreshed = sessionOf(await rest.refresh(before.cookie));
    expect([lifetime(refreshed.accessToken), refreshed.response.body.expiresIn]).toEqual([120, 120]);
    const [cookie] = refreshed.response.cookies;
    expect(Number(cookie!.attributes['max-age'])).toBeLessThanOrEqual(3_600);
    const fresh = sessionOf(await rest.login(login(user, { rememberMe: true })));
    expect(lifetime(fresh.accessToken)).toBe(120);
    const root = await newRoot();
    const sourceOf = async (bearerToken: string) =>
      /\(issued for [^)]*\)/.exec((await root.post('/credentials/explain', { bearerToken })).text)?.[0];
    const ofTenant = "accessTokenTtl 120, of the tenant's policy";
    expect(await sourceOf(fresh.accessToken)).toBe(`(issued for 120 s; Profile A: ${ofTenant})`);
    expect(await sourceOf(before.accessToken)).toBe(`(issued for 900 s; Profile A: ${ofTenant})`);
    const client = await seedClient(acme.world.deployment.database, { tenantId });
    const machine = await tokenClient(acme.world.deployment.url).byForm(client);
    const ofMachines = "(issued for 300 s; of the service's app.security.m2m.access-token-ttl)";
    expect(await sourceOf(machine.body.access_token)).toBe(ofMachines);

    advance(61 * MINUTE_MS);
    const idle = await rest.refresh(fresh.cookie);
    expect([idle.status, idle.body.type]).toEqual([401, (await rest.refresh(refreshed.cookie)).body.type]);

    let session = sessionOf(await rest.login(login(user)));
    for (let minutes = 0; minutes < 100; minutes += 50) {
      advance(50 * MINUTE_MS);
      session = sessionOf(await rest.refresh(session.cookie));
    }
    advance(21 * MINUTE_MS);
    expect((await rest.refresh(session.cookie)).status).toBe(401);
    const explained = await (
      await newRoot()
    ).post('/credentials/explain', { refreshCookie: session.cookie.split('=')[1] });
    expect(explained.text).toContain('the absolute lifetime (sessionAbsoluteLifetime 7200');
    expect(explained.body.tenantId).toBe(tenantId);
  });

  it('ends a running session whose idle window has passed already, for good at its next refresh', async () => {
    const { set, user, rest } = await open();
    const [refreshed, other] = [sessionOf(await rest.login(login(user))), sessionOf(await rest.login(login(user)))];
    advance(10 * MINUTE_MS);
    await set({ sessionIdleWindow: 300 });
    expect((await rest.refresh(refreshed.cookie)).status).toBe(401);
    await set({ sessionIdleWindow: null });
    expect((await rest.refresh(refreshed.cookie)).status).toBe(401);
    expect((await rest.refresh(other.cookie)).status).toBe(200);
  });

  describe('the explanation of a credential', () => {
    const OWN = {
      passwordMinLength: 14,
      accessTokenTtl: 600,
      sessionIdleWindow: 3_600,
      sessionAbsoluteLifetime: 7_200,
      sessionsPerAccount: 7,
      lockMaxFailures: 3,
      lockDuration: 1_000,
      allowedOrigins: [SHOP],
      secondFactor: 'REQUIRED_FOR_ADMINISTRATORS',
      freshSession: 300,
      recovery: false,
      language: 'de',
      passkeyLogin: false,
      sharedApplications: false,
    };

    /** Returns the texts of the values by their field, and the credentials whose explanations have them. */
    async function explainedValues(policy?: object) {
      const { user, rest } = await open(policy);
      const { accessToken, cookie } = sessionOf(await rest.login(login(user)));
      const root = await newRoot();
      const credentials = { username: user.username, bearerToken: accessToken, refreshCookie: cookie.split('=')[1] };
      const found: Record<string, string> = {};
      for (const [credential, value] of Object.entries(credentials)) {
        const { body } = await root.post('/credentials/explain', { [credential]: value });
        const check = body.checks.at(-1);
        expect([body.accepted, check.kind, check.passed]).toEqual([true, 'POLICY', true]);
        for (const [, field, text] of check.detail.matchAll(/(\w+) ([^;]*)(?:; |$)/g))
          found[field] = [found[field], `${credential}: ${text}`].filter(Boolean).join(' | ');
      }
      return found;
    }

    const FIELDS: Readonly<Record<string, readonly string[]>> = {
      passwordMinLength: ['username'],
      accessTokenTtl: ['refreshCookie'],
      sessionIdleWindow: ['refreshCookie'],
      sessionAbsoluteLifetime: ['refreshCookie'],
      sessionsPerAccount: ['username', 'bearerToken', 'refreshCookie'],
      lockMaxFailures: ['username'],
      lockDuration: ['username'],
      allowedOrigins: ['username', 'refreshCookie'],
      secondFactor: ['username', 'refreshCookie'],
      freshSession: ['bearerToken', 'refreshCookie'],
      recovery: ['username'],
      language: ['username'],
      passkeyLogin: ['username'],
      sharedApplications: ['username'],
    };
    const expected = (textOf: (field: string) => string) =>
      Object.fromEntries(
        Object.entries(FIELDS).map(([field, credentials]) => [
          field,
          credentials.map((credential) => `${credential}: ${textOf(field)}`).join(' | '),
        ]),
      );
    type Values = Readonly<Record<string, string | number | boolean | readonly string[]>>;
    const text = (value: Values[string] | undefined) =>
      typeof value === 'object' ? value.join(' ') : `${value ?? 'none'}`;

    it('names each value of the tenant', async () => {
      const values: Values = OWN;
      expect(await explainedValues(OWN)).toEqual(expected((field) => `${text(values[field])}, of the tenant's policy`));
    });

    it('names each value of the service, and its setting', async () => {
      const values: Values = DEFAULTS;
      expect(await explainedValues()).toEqual(
        expected(
          (field) => `${text(values[field])}, of the service's ${POLICY_FIELDS[field as PolicyFieldName].setting}`,
        ),
      );
    });
  });

  it('limits the sessions of an account', async () => {
    const { user, rest } = await open({ sessionsPerAccount: 2 });
    const sessions = [];
    for (let count = 0; count < 3; count += 1) sessions.push(sessionOf(await rest.login(login(user))));
    const statuses = [];
    for (const { accessToken } of sessions) statuses.push((await rest.me(accessToken)).status);
    expect(statuses).toEqual([401, 200, 200]);
  });

  it('refuses logins and refreshes from other origins', async () => {
    const { set, user, rest } = await open();
    const from = (origin: string) => ({ origin });
    const session = sessionOf(await rest.login(login(user), from(OTHER)));
    await set({ allowedOrigins: [SHOP] });
    expect((await rest.refresh(session.cookie, from(OTHER))).status).toBe(401);
    expect((await rest.login(login(user), from(OTHER))).body.type).toContain('login-policy-rejected');
    expect((await rest.login(login(user), from(SHOP))).status).toBe(200);
    expect((await rest.login(login(user), from(acme.world.deployment.url))).status).toBe(200);
    expect((await rest.login(login(user))).status).toBe(200);
    const preflight = { ...from(OTHER), 'access-control-request-method': 'POST' };
    const allowed = await rest.send('OPTIONS', `${API}/auth/login`, { headers: preflight });
    expect(allowed.headers.get('access-control-allow-origin')).toBe(OTHER);
    await set({ allowedOrigins: null });
    expect((await rest.refresh(session.cookie, from(OTHER))).status).toBe(200);
  });

  it('does not change the lifetimes of Profile B, and limits its origins', async () => {
    const { user, path } = await open({ accessTokenTtl: 60, sessionIdleWindow: 60, sessionAbsoluteLifetime: 60 });
    const gateway = await addGateway(acme.world.deployment, { ...SETTINGS, 'app.security.auth-profile': 'B' });
    try {
      const rest = restClient(gateway.url);
      const { body } = await rest.login(login(user));
      expect(lifetime(body.access_token)).toBe(900);
      advance(24 * 60 * MINUTE_MS);
      const refreshed = await rest.postJson(`${API}/auth/refresh`, { refresh_token: body.refresh_token });
      expect([refreshed.status, lifetime(refreshed.body.access_token)]).toEqual([200, 900]);
      expect((await (await newRoot()).patch(path, { allowedOrigins: [SHOP] })).status).toBe(200);
      const statusFrom = async (origin: string) => (await rest.login(login(user), { origin })).status;
      expect([await statusFrom(SHOP), await statusFrom(gateway.url), await statusFrom(OTHER)]).toEqual([200, 200, 401]);
    } finally {
      await gateway.close();
    }
  });

  it('does not concern the tokens of machine clients', async () => {
    const { admin, rest } = await open({ accessTokenTtl: 60 });
    const { body: client } = await admin.post('/service-accounts', { clientId: newId(), name: 'C', roles: ['SALES'] });
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client.serviceAccount.clientId,
      client_secret: client.clientSecret,
    });
    const token = await rest.send('POST', `${API}/auth/token`, { body: form });
    expect([token.status, token.body.expires_in]).toEqual([200, 300]);
  });
});
