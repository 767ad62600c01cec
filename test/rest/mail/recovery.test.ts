// /auth/recovery and /auth/recovery/confirm, in both profiles.
import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { RecoveryServiceService } from '../../../proto/gen/authservice/identity/v1/recovery_service.ts';
import { UNLIMITED } from '../../../src/platform/clock.ts';
import { idToBytes, newId } from '../../../src/platform/db/ids.ts';
import { PASSWORD, type Seed } from '../../support/accounts.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { caller } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { eventually } from '../../support/eventually.ts';
import { mailFolder, PUBLIC_URL } from '../../support/mails.ts';
import { bearer, restClient, type RestResponse } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { recordSpans } from '../../support/spans.ts';
import { openAdministration } from '../admin/administration.ts';

rememberPasswords();

const PATH = '/api/v1/auth/recovery';
const NEW_PASSWORD = 'a new and long password';
const MINUTE_MS = 60_000;

/** A gateway that the core trusts sends the addresses of its clients. Each test has a network of its own. */
const PROXY = { 'app.http.trusted-proxies': '127.0.0.1' };
let networks = 0;
const ownNetwork = () => {
  networks += 1;
  return { 'x-forwarded-for': `198.51.${networks >> 8}.${networks & 255}` };
};

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const mails = mailFolder();
  const spans = recordSpans();
  const acme = openAdministration({ ...kind, settings: { ...mails.settings, ...PROXY }, tracer: spans.tracer });
  const rest = () => restClient(acme.world.deployment.url);

  async function open(seed: Seed = {}) {
    const email = `${newId()}@mail.test`;
    const user = await acme.world.seed({ username: `${newId()}@acme.test`, email, ...seed });
    const network = ownNetwork();
    const request = (username = user.username) => rest().postJson(PATH, { username }, network);
    const confirm = (token: string, newPassword = NEW_PASSWORD) =>
      rest().postJson(`${PATH}/confirm`, { token, newPassword }, network);
    const login = (password: string) => rest().login({ username: user.username, password }, network);
    /** Requests a mail and returns its token. */
    const newToken = () => mails.tokenTo(email, async () => expect((await request()).status).toBe(202));
    return { user, email, request, confirm, login, newToken };
  }

  const invalid = { status: 400, body: { errorCode: 'mail-token-invalid' } };
  const tokens = () => acme.world.deployment.database.query('SELECT token_hash FROM mail_tokens ORDER BY token_hash');

  it('sets a new password, ends all sessions and tells the user', async () => {
    const { user, email, confirm, login, newToken } = await open();
    const { accessToken, cookie } = await rest().open(user.username);
    const token = await newToken();
    expect(mails.to(email)[0]!.text).toContain(`${PUBLIC_URL}/recover#token=${token}\n`);
    expect(token).toMatch(/^[\w-]{43}$/);
    const response = await confirm(token);
    expect([response.status, response.text, response.headers.get('cache-control')]).toEqual([204, '', 'no-store']);
    expect((await login(PASSWORD)).status).toBe(401);
    expect((await login(NEW_PASSWORD)).status).toBe(200);
    expect((await rest().me(accessToken)).status).toBe(401);
    expect((await rest().refresh(cookie)).status).toBe(401);
    await eventually(() => expect(mails.to(email).map(({ token: given }) => given)).toEqual([token, undefined]));
    expect(mails.to(email)[1]!.subject).toBe('Your account of acme has a new password');
    expect(await confirm(token)).toMatchObject(invalid);
  });

  it('verifies the e-mail address, until an administrator changes it', async () => {
    const { user, email, confirm, newToken } = await open();
    const verified = async () => (await acme.admin.get(`/users/${user.id}`)).body.emailVerified;
    expect(await verified()).toBe(false);
    await confirm(await newToken());
    expect(await verified()).toBe(true);
    const { accessToken } = await seedSession(acme.world.deployment, user);
    expect((await rest().send('GET', '/api/v1/account', { headers: bearer(accessToken) })).body.emailVerified).toBe(
      true,
    );
    await acme.admin.patch(`/users/${user.id}`, { name: 'Changed', email });
    expect(await verified()).toBe(true);
    const changed = await acme.admin.patch(`/users/${user.id}`, { email: `new-${email}` });
    expect([changed.status, changed.body.emailVerified, await verified()]).toEqual([200, false, false]);
  });

  it('unlocks the password', async () => {
    const { confirm, login, newToken } = await open({
      loginFailedCount: 5,
      lockedUntil: acme.world.deployment.clock.now() + 1e9,
    });
    expect((await login(PASSWORD)).status).toBe(423);
    expect((await confirm(await newToken())).status).toBe(204);
    expect((await login(NEW_PASSWORD)).status).toBe(200);
  });

  it('accepts a token once, also in parallel', async () => {
    const { confirm, newToken } = await open();
    const token = await newToken();
    const responses = await Promise.all(
      Array.from({ length: 6 }, (_, index) => confirm(token, `${NEW_PASSWORD}${index}`)),
    );
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 400, 400, 400, 400, 400]);
  });

  it('keeps the token if the password does not meet the policy', async () => {
    const { user, confirm, newToken } = await open();
    const token = await newToken();
    for (const password of ['short', user.username, 'a'.repeat(20)])
      expect(await confirm(token, password)).toMatchObject({ status: 400, body: { errorCode: 'validation-error' } });
    expect((await confirm(token)).status).toBe(204);
  });

  it('accepts the newest token alone, for 30 minutes', async () => {
    const { confirm, newToken } = await open();
    const [older, newest] = [await newToken(), await newToken()];
    expect(await confirm(older)).toMatchObject(invalid);
    acme.world.deployment.clock.advance(30 * MINUTE_MS - 1);
    expect((await confirm(newest)).status).toBe(204);
    const late = await newToken();
    acme.world.deployment.clock.advance(30 * MINUTE_MS);
    expect(await confirm(late)).toMatchObject(invalid);
  });

  it.each(['x', 'A'.repeat(43), `${'A'.repeat(42)}.`, 'x'.repeat(200)])('refuses the token %s', async (token) => {
    const { confirm } = await open();
    expect(await confirm(token)).toMatchObject(invalid);
  });

  it.each<[change: string, act: (user: { id: string; tenantId: string; password: string }) => Promise<unknown>]>([
    [
      'a password by an administrator',
      async ({ id }) => (await admin()).put(`/users/${id}/password`, { password: 'another long password' }),
    ],
    ['another address', async ({ id }) => (await admin()).patch(`/users/${id}`, { email: `${newId()}@mail.test` })],
    [
      'a disabled account, enabled later',
      async ({ id }) => {
        await (await admin()).post(`/users/${id}/disable`);
        await (await admin()).post(`/users/${id}/enable`);
      },
    ],
    ['a deleted account', async ({ id }) => (await admin()).delete(`/users/${id}`)],
  ])('ends the token after %s', async (_, act) => {
    const { user, confirm, newToken } = await open();
    const token = await newToken();
    await act({ id: user.id, tenantId: user.tenantId!, password: PASSWORD });
    expect(await confirm(token)).toMatchObject(invalid);
  });

  it.each([
    ['email', 'other@mail.test'],
    ['password_version', 1_000],
  ] as const)(
    'is not valid if the account has got another %s on another node of a cluster at the same time',
    async (column, other) => {
      const { user, confirm, newToken } = await open();
      const token = await newToken();
      const { database } = acme.world.deployment;
      const key = idToBytes(user.id);
      const [row] = await database.query<{ value: string | number }>(
        `SELECT ${column} AS value FROM accounts WHERE id = ?`,
        [key],
      );
      // As after a change that committed beside the request: it has not seen the token.
      const set = (value: string | number) =>
        database.execute(`UPDATE accounts SET ${column} = ? WHERE id = ?`, [value, key]);
      await set(other);
      expect(await confirm(token)).toMatchObject(invalid);
      await set(row!.value);
      expect((await confirm(token)).status).toBe(204);
    },
  );

  it('is not valid for an account that is deleted while the new password is hashed', async () => {
    const { user, confirm, newToken } = await open();
    const token = await newToken();
    const { database } = acme.world.deployment;
    let response: ReturnType<typeof confirm> | undefined;
    spans.reset();
    // The confirmation has found the account and hashed the password, and waits for the row.
    await database.transaction(UNLIMITED, async (tx) => {
      await tx.execute('DELETE FROM accounts WHERE id = ?', [idToBytes(user.id)]);
      response = confirm(token);
      await eventually(() => expect(spans.all().map(({ name }) => name)).toContain('hash password'));
    });
    expect(await response).toMatchObject(invalid);
  });

  const admin = () => caller(acme.world.deployment, { tenantId: 'acme', roles: ['ADMIN'] });

  it('ends the tokens of a suspended tenant, also if it is active again', async () => {
    const tenantId = `t-${newId()}`;
    const { confirm, newToken } = await open({ tenantId });
    const token = await newToken();
    const root = await caller(acme.world.deployment, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    expect((await root.post(`/tenants/${tenantId}/suspend`)).status).toBe(200);
    expect(await confirm(token)).toMatchObject(invalid);
    expect((await root.post(`/tenants/${tenantId}/activate`)).status).toBe(200);
    expect(await confirm(token)).toMatchObject(invalid);
  });

  it.each<[who: string, seed: Seed]>([
    ['without an e-mail address', { email: undefined }],
    ['that is disabled', { disabled: true }],
    ['that has expired', { accountExpiresAt: 1 }],
    ['of a SUPER_ADMIN', { tenantId: undefined, roles: ['SUPER_ADMIN'] }],
    ['of a machine client', { interactive: false }],
  ])('sends no mail for an account %s, and responds the same', async (_, seed) => {
    const { user, email, request } = await open(seed);
    const known = await request();
    const unknown = await request(`${newId()}@acme.test`);
    expect([known.status, known.text]).toEqual([202, '']);
    expect([unknown.status, unknown.text]).toEqual([202, '']);
    const names = ({ headers }: typeof known) => [...headers.keys()];
    expect(names(known)).toEqual(names(unknown));
    await eventually(async () =>
      expect(await acme.world.deployment.database.query('SELECT id FROM mails')).toEqual([]),
    );
    expect(mails.to(user.email ?? email)).toEqual([]);
  });

  it('sends no mail if the policy of the tenant refuses recoveries', async () => {
    const tenantId = `t-${newId()}`;
    const { email, confirm, request, newToken } = await open({ tenantId });
    const token = await newToken();
    const owner = await caller(acme.world.deployment, { tenantId, roles: ['TENANT_ADMIN'] });
    expect((await owner.patch(`/tenants/${tenantId}/policy`, { recovery: false })).status).toBe(200);
    expect(await confirm(token)).toMatchObject(invalid);
    expect((await request()).status).toBe(202);
    await eventually(async () =>
      expect(await acme.world.deployment.database.query('SELECT id FROM mails')).toEqual([]),
    );
    expect(mails.to(email)).toHaveLength(1);
  });

  it('sends an account at most 5 mails an hour. Further requests end no token', async () => {
    const { email, user, confirm, newToken } = await open();
    let token = '';
    for (let count = 0; count < 5; count += 1) token = await newToken();
    for (let count = 0; count < 3; count += 1)
      expect((await rest().postJson(PATH, { username: user.username.toUpperCase() }, ownNetwork())).status).toBe(202);
    await eventually(async () =>
      expect(await acme.world.deployment.database.query('SELECT id FROM mails')).toEqual([]),
    );
    expect(mails.to(email)).toHaveLength(5);
    expect((await confirm(token)).status).toBe(204);
    // The notice about the new password.
    await eventually(() => expect(mails.to(email)).toHaveLength(6));
    acme.world.deployment.clock.advance(60 * MINUTE_MS);
    expect(await newToken()).toMatch(/^[\w-]{43}$/);
  });

  describe('the statements', () => {
    /** Sends a request. Returns its statements, in their order. */
    async function statementsOf(send: (headers: Record<string, string>) => Promise<RestResponse>) {
      const traceId = randomBytes(16).toString('hex');
      const response = await send({ traceparent: `00-${traceId}-${'1'.repeat(16)}-01` });
      expect([response.status, response.text]).toEqual([202, '']);
      return spans
        .tree(traceId)
        .map((line) => line.trim())
        .filter((name) => /^(SELECT|INSERT|UPDATE|DELETE) /.test(name));
    }
    const recover = (username: string, network = ownNetwork()) =>
      statementsOf((headers) => rest().postJson(PATH, { username }, { ...network, ...headers }));
    const setPoints = (key: string, points: number) =>
      acme.world.deployment.database.execute('UPDATE rate_limits SET points = ? WHERE `key` = ?', [
        points,
        Buffer.from(key),
      ]);

    it('are the same for every username, at any count', async () => {
      const { user } = await open();
      const first = await recover(user.username);
      expect(first.filter((name) => name.startsWith('INSERT'))).toEqual([
        'INSERT rate_limits',
        'INSERT rate_limits',
        'INSERT rate_limits',
        'INSERT mail_tokens',
        'INSERT mails',
      ]);
      for (let count = 1; count < 8; count += 1) expect(await recover(user.username)).toEqual(first);
      expect(await setPoints('mail-tenant:public:acme', 10_000)).toBe(1);
      expect(await recover((await open()).user.username)).toEqual(first);
      expect(await setPoints('mail-tenant:public:acme', 0)).toBe(1);
      for (const seed of [{ disabled: true }, { tenantId: undefined, roles: ['SUPER_ADMIN'] }])
        expect(await recover((await open(seed)).user.username)).toEqual(first);
      const unknown = `${newId()}@acme.test`;
      for (let count = 0; count < 8; count += 1) expect(await recover(unknown)).toEqual(first);
    });

    it('are none for a network over its limit, for 1 h', async () => {
      const { user, email } = await open();
      const network = ownNetwork();
      const key = `mail-network:${network['x-forwarded-for']}`;
      await recover(newId(), network);
      expect(await setPoints(key, 300)).toBe(1);
      // The process finds the limit used up.
      await recover(newId(), network);
      const { database } = acme.world.deployment;
      const rows = async () =>
        (
          await database.query<{ n: number }>(
            'SELECT (SELECT COUNT(*) FROM mail_tokens) + COUNT(*) AS n FROM rate_limits',
          )
        )[0]!.n;
      const before = await rows();
      for (const username of [user.username, newId(), `${newId()}@acme.test`])
        expect(await recover(username, network)).toEqual([]);
      expect(await rows()).toBe(before);
      acme.world.deployment.clock.advance(60 * MINUTE_MS);
      await mails.tokenTo(email, async () => expect(await recover(user.username, network)).not.toEqual([]));
    });
  });

  it('usernames without an account share their rows', async () => {
    // Two names of the same bucket of 4,096, found by their hashes.
    const bucket = (name: string) => createHash('sha256').update(name).digest('hex').slice(0, 3);
    const one = newId();
    let other = newId();
    while (bucket(other) !== bucket(one)) other = newId();
    const counted = async (table: string) =>
      (await acme.world.deployment.database.query<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`))[0]!.n;
    const rows = async () => [await counted('mail_tokens'), await counted('rate_limits')];
    const network = ownNetwork();
    await rest().postJson(PATH, { username: one }, network);
    const before = await rows();
    await rest().postJson(PATH, { username: other }, network);
    expect(await rows()).toEqual(before);
  });

  it('stores tokens as hashes', async () => {
    const { newToken } = await open();
    const token = await newToken();
    expect(JSON.stringify(await tokens())).not.toContain(Buffer.from(token, 'base64url').toString('hex'));
    expect((await tokens()).length).toBeGreaterThan(0);
  });

  it.each([{}, { username: '' }, { username: '  ' }, { username: 1 }, { username: 'x'.repeat(255) }])(
    'refuses the body %j',
    async (body) => {
      expect(await rest().postJson(PATH, body, ownNetwork())).toMatchObject({
        status: 400,
        body: { errorCode: 'validation-error' },
      });
    },
  );
});

describe.each(DIAGONAL)('under Profile B, $engine over $transport', (kind) => {
  const mails = mailFolder();
  const acme = openAdministration({ ...kind, settings: { ...mails.settings, 'app.security.auth-profile': 'B' } });

  it('takes and returns the members of the profile', async () => {
    const rest = restClient(acme.world.deployment.url);
    const email = `${newId()}@mail.test`;
    const { username } = await acme.world.seed({ username: `${newId()}@acme.test`, email });
    expect((await rest.postJson(PATH, { username })).status).toBe(202);
    const token = await eventually(() => {
      expect(mails.to(email)).toHaveLength(1);
      return mails.to(email)[0]!.token!;
    });
    const confirm = (body: object) => rest.postJson(`${PATH}/confirm`, body);
    expect(await confirm({ token, newPassword: NEW_PASSWORD })).toMatchObject({
      status: 400,
      body: { error: 'AUTH_VALIDATION_ERROR', path: `${PATH}/confirm` },
    });
    expect((await confirm({ token, new_password: NEW_PASSWORD })).status).toBe(204);
    const { status, body } = await confirm({ token, new_password: NEW_PASSWORD });
    expect([status, body.error]).toEqual([400, 'AUTH_MAIL_TOKEN_INVALID']);
    expect((await rest.login({ username, password: NEW_PASSWORD })).status).toBe(200);
  });
});

describe.each(['A', 'B'])('without mail, under Profile %s', (profile) => {
  const acme = openAdministration({ ...DIAGONAL[0]!, settings: { 'app.security.auth-profile': profile } });

  it('is not served', async () => {
    const { url } = acme.world.deployment;
    for (const path of [PATH, `${PATH}/confirm`])
      expect((await restClient(url).postJson(path, { username: 'alice' })).status).toBe(404);
    const document = await (await fetch(`${url}/openapi.json`)).text();
    expect(document).not.toContain('/auth/recovery');
    expect(() => acme.world.deployment.client(RecoveryServiceService)).toThrow('is not served');
  });
});
